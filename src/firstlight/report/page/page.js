"use strict";
// Charts are drawn from what is in the page; a bar and the button of its row open the same proof.
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const specs = read("specs"), details = read("details");
  const show = (key, id) => {
    const row = details[key].find((one) => one.id === id);
    const panel = document.getElementById(`${key}-proof`);
    if (!row || !panel) return;
    const head = document.createElement("p");
    const strong = document.createElement("strong");
    strong.textContent = row.name;
    head.append(strong, ` ${row.seconds.toFixed(3)} s, from ${row.from.toFixed(3)} to ${row.to.toFixed(3)} s`);
    const lines = row.evidence.map((one) => {
      const line = document.createElement("pre");
      line.textContent = `${one.where}  ${one.text}`;
      return line;
    });
    if (!lines.length) {
      const none = document.createElement("p");
      none.textContent = row.explained ? "Its parts prove it." : "Nothing in the input names this time.";
      lines.push(none);
    }
    panel.replaceChildren(head, ...lines);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.row");
    if (button) show(button.dataset.key, Number(button.dataset.id));
  });
  // Beside bars there is no room for names on a phone: they stand above them, and rows are higher.
  const narrow = (spec, width, thin) => {
    Object.assign(spec.config.axisY, { labelPadding: -6, labelLimit: width - 30, minExtent: 0, maxExtent: 0, labelBaseline: "bottom", labelOffset: (thin ? -8 : -16) - 14 * (spec.usermeta.lines - 1) });
    spec.height = Math.round(spec.height * (thin ? 2 : 1.75));
    spec.config.legend.columns = 2;
  };
  const drawn = Object.entries(specs).map(async ([key, spec]) => {
    const at = document.getElementById(key);
    if (!at) return;
    if (at.clientWidth < 560) narrow(spec, at.clientWidth, key in details);
    const { view } = await vegaEmbed(at, spec, { actions: false, renderer: "svg", tooltip: { theme: "custom" } });
    if (key in details) view.addEventListener("click", (_, item) => { if (item && item.datum && "id" in item.datum) show(key, item.datum.id); });
    // The table beside the chart has its numbers; nobody has to listen to a hundred bars.
    at.querySelector("svg")?.setAttribute("aria-hidden", "true");
  });
  Promise.all(drawn).then(() => { document.documentElement.dataset.drawn = String(drawn.length); });
})();
