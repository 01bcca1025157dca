"""A real browser without a window, and what it said about a page."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
_PATIENCE_S = 30


class Browser:
    """Headless Chromium on one page; ends only what it started."""

    def __init__(self) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM or ""
        for one in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(one)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))

    def open(self, page: Path, *, width: int = 1440, dark: bool = False) -> None:
        """Open it, and wait until every chart is drawn."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get(page.as_uri())
        until = time.monotonic() + _PATIENCE_S
        while not self.run("return document.documentElement.dataset.drawn"):
            assert time.monotonic() < until, self.complaints()
            time.sleep(0.05)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def complaints(self) -> list[str]:
        """What the console has to say."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """Every address that was asked for."""
        events = [json.loads(e["message"])["message"] for e in self._log("performance")]
        sent = [e for e in events if e["method"] == "Network.requestWillBeSent"]
        return [e["params"]["request"]["url"] for e in sent]

    def _log(self, kind: str) -> list[dict[str, Any]]:
        return list(self.driver.get_log(kind))  # type: ignore[no-untyped-call]

    def quit(self) -> None:
        self.driver.quit()
