"""The page as a reader sees it: in a real browser, with the network shut."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_core_python  # type: ignore[import-untyped]
import pytest
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

from firstlight.report.page.html import page
from firstlight.report.page.picture import picture
from tests.report.documents import HOSTILE, experiment
from tests.report.page.browser import CHROMIUM, DRIVER, Browser

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER) and "CI" not in os.environ,
        reason="needs chromium and chromium-driver",
    ),
]
AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
CHARTS = ("stacked", "gains", "dots", "waterfall-0", "waterfall-1")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    one = Browser()
    yield one
    one.quit()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page(experiment()), encoding="utf-8")
    return path


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1440])
def test_it_is_drawn_without_a_word(browser: Browser, file: Path, width: int, dark: bool) -> None:
    """No complaint, no request but the page's own, every chart drawn, nothing wider than it."""
    browser.open(file, width=width, dark=dark)

    assert [] == browser.complaints()
    # The icon is in the page, too.
    assert {file.as_uri()} == {url for url in browser.requests() if not url.startswith("data:")}
    for chart in CHARTS:
        marks = browser.run(
            "return document.querySelectorAll(arguments[0] + ' svg .mark-rect path, ' + "
            "arguments[0] + ' svg .mark-symbol path').length",
            f"#chart-warm-{chart}",
        )
        assert marks >= 2, chart
    assert width >= browser.run("return document.documentElement.scrollWidth")


def test_no_word_of_others_is_obeyed(browser: Browser, file: Path) -> None:
    """Names and log lines that are written as markup are text."""
    browser.open(file)

    assert browser.run("return window.broken") is None
    assert HOSTILE in browser.run("return document.querySelector('h1').textContent")
    assert 0 == browser.run("return document.querySelectorAll('img').length")


def test_pointing_at_a_bar_shows_its_proof(browser: Browser, file: Path) -> None:
    browser.open(file)
    bar = browser.driver.find_element(By.CSS_SELECTOR, "#chart-warm-waterfall-1 .mark-rect path")
    browser.run("arguments[0].scrollIntoView({block: 'center'})", bar)

    ActionChains(browser.driver).move_to_element(bar).pause(0.3).perform()

    shown = browser.run("return document.getElementById('vg-tooltip-element').textContent")
    assert "engine.log:7: line of 1/" in shown


def test_pressing_a_bar_keeps_its_proof(browser: Browser, file: Path) -> None:
    browser.open(file)
    bar = browser.driver.find_element(By.CSS_SELECTOR, "#chart-warm-waterfall-1 .mark-rect path")
    browser.run("arguments[0].scrollIntoView({block: 'center'})", bar)

    bar.click()

    kept = browser.driver.find_element(By.ID, "chart-warm-waterfall-1-proof").text
    assert kept.startswith("process init 30")
    assert "engine.log:7  line of 1/" in kept


def test_the_keyboard_reaches_every_proof(browser: Browser, file: Path) -> None:
    """A bar is also a button in the table below it."""
    browser.open(file)
    summary = browser.driver.find_element(
        By.CSS_SELECTOR, "#chart-warm-waterfall-0-proof + details summary"
    )
    summary.send_keys(Keys.ENTER)
    button = browser.driver.find_elements(
        By.CSS_SELECTOR, "#chart-warm-waterfall-0-proof + details button.row"
    )[1]

    button.send_keys(Keys.ENTER)

    kept = browser.driver.find_element(By.ID, "chart-warm-waterfall-0-proof").text
    assert kept.startswith("engine init ")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_no_barrier(browser: Browser, file: Path, width: int, dark: bool) -> None:
    """The rules of accessibility that a machine can check, with every table opened."""
    browser.open(file, width=width, dark=dark)
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    browser.run(AXE.read_text("utf-8"))

    found = browser.driver.execute_async_script(
        "const done = arguments[0]; axe.run().then(r => done(r.violations.map("
        "v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200)).join(' | '))))"
    )

    assert [] == found


def test_a_run_with_too_few_rounds_is_drawn_without_a_word(
    browser: Browser, tmp_path: Path
) -> None:
    """No interval is known there, and nothing that could have been seen."""
    document = experiment()
    for metric in document["steps"][1]["against_previous"]["warm"]["metrics"]:
        metric.update(verdict="too few rounds", low_s=None, high_s=None, smallest_effect_s=None)
    path = tmp_path / "few.html"
    path.write_text(page(document), encoding="utf-8")

    browser.open(path)

    assert [] == browser.complaints()
    drawn = browser.run("return document.querySelector('#chart-warm-gains').textContent")
    assert "too few rounds" in drawn


def test_a_phone_shows_the_verdict_without_moving_sideways(browser: Browser, file: Path) -> None:
    """Rows of the table are cards there; nothing of one is wider than the screen."""
    browser.open(file, width=390)

    boxes = browser.run(
        "return [...document.querySelectorAll('table.cards td:not(.empty), table.cards th')]"
        ".map(e => e.getBoundingClientRect()).map(r => [r.left, r.right])"
    )
    assert all(0 <= left and right <= 390 for left, right in boxes[1:] if right > 0)
    shown = browser.run(
        "return [...document.querySelectorAll('td.verdict')].map(e => [e.textContent, "
        "e.getBoundingClientRect().width])"
    )
    assert any("total faster" in text and width > 150 for text, width in shown)


@pytest.mark.parametrize("width", [390, 1440])
def test_no_name_in_a_chart_is_cut(browser: Browser, tmp_path: Path, width: int) -> None:
    """On a phone they stand above the bars."""
    document = experiment()
    document["steps"][1]["name"] = "compile-cache-published-2"
    path = tmp_path / "long.html"
    path.write_text(page(document), encoding="utf-8")

    browser.open(path, width=width)

    texts = browser.run(
        "return ['stacked', 'gains', 'dots'].map(c => [...document.querySelectorAll("
        "`#chart-warm-${c} .role-axis-label text, #chart-warm-${c} .role-legend-label text`)]"
        ".map(e => e.textContent)).flat()"
    )
    assert [] == [text for text in texts if "\N{HORIZONTAL ELLIPSIS}" in text]
    assert 3 <= sum("compile-cache-published-2" in text for text in texts)


def many_parts() -> dict[str, Any]:
    """A start with so many parts that their names would touch if each had a line's height less."""
    document = experiment()
    (phase,) = document["steps"][1]["scenarios"]["warm"]["rounds"][1]["phases"][1:]
    parts = [f"part {n}" for n in range(30)]
    begins, each = phase["from_s"], phase["seconds"] / len(parts)
    phase["children"] = [
        phase
        | {"name": part, "seconds": each, "from_s": begins + n * each}
        | {"to_s": begins + (n + 1) * each, "children": []}
        for n, part in enumerate(parts)
    ]
    return document


_LABELS = "[...document.querySelectorAll(arguments[0] + ' .role-axis-label text')]"


@pytest.mark.parametrize("width", [390, 1440])
def test_every_row_of_a_waterfall_has_its_name(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """None is left out to make room: rows are as high as their names."""
    path = tmp_path / "parts.html"
    path.write_text(page(many_parts()), encoding="utf-8")

    browser.open(path, width=width)

    shown = browser.run(
        f"return {_LABELS}.filter(e => e.getAttribute('opacity') !== '0').map(e => e.textContent)",
        "#chart-warm-waterfall-1",
    )
    assert {f"\N{MIDDLE DOT} part {n}" for n in range(30)} <= set(shown)


def test_every_row_of_a_picture_has_its_name() -> None:
    starts = many_parts()["steps"][1]["scenarios"]["warm"]["rounds"][1:2]
    document = {"starts": [starts[0] | {"source": "s"}]}

    drawn = picture(document, kind="svg").decode()

    shown = re.findall(r'opacity="1">\N{MIDDLE DOT} (part \d+)</text>', drawn)
    assert {f"part {n}" for n in range(30)} == set(shown)


@pytest.mark.parametrize("chart", CHARTS)
def test_no_line_runs_through_a_name_on_a_phone(browser: Browser, file: Path, chart: str) -> None:
    """Names stand above the bars there, right of the line that the bars begin at."""
    browser.open(file, width=390)

    apart = browser.run(
        f"const at = {_LABELS}.filter(e => /[a-z]/.test(e.textContent))"
        ".map(e => e.getBoundingClientRect().left);"
        "const line = document.querySelector(arguments[0] + ' .mark-group.role-frame path')"
        " .getBoundingClientRect().left;"
        "return at.map(left => left - line)",
        f"#chart-warm-{chart}",
    )
    assert apart
    assert 2 < min(apart)


@pytest.mark.parametrize("rounds", [1, 3])
def test_one_round_of_each_is_drawn_without_a_word(
    browser: Browser, tmp_path: Path, rounds: int
) -> None:
    """No interval, no smallest effect, and a caption that speaks of one."""
    document = experiment()
    for one in document["steps"]:
        del one["scenarios"]["warm"]["rounds"][1 + rounds :]
    against = document["steps"][1]["against_previous"]["warm"]
    against["verdict"] = "too few rounds"
    for metric in against["metrics"]:
        metric.update(verdict="too few rounds", low_s=None, high_s=None, smallest_effect_s=None)
    path = tmp_path / "few.html"
    path.write_text(page(document), encoding="utf-8")

    browser.open(path)

    assert [] == browser.complaints()
    text = browser.run("return document.body.textContent")
    assert ("A single round says nothing" in text) is (rounds == 1)
    assert "would be missed" not in text
