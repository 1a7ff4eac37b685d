"""Open an HTML report in Chromium: `python open_page.py FILE`; prints what it took, as JSON.

`wall` is the browser's own time from the start of the navigation to the first frame with the matrix, `cpu` the processor
time of the page's process until then, both in seconds. An empty page is opened first, so that the start of the browser is
not in them.
"""

import json
import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        metrics = page.context.new_cdp_session(page)
        metrics.send("Performance.enable")
        page.goto("about:blank")
        page.goto(Path(sys.argv[1]).absolute().as_uri())
        page.wait_for_selector("html[data-ready]")
        taken = {one["name"]: one["value"] for one in metrics.send("Performance.getMetrics")["metrics"]}
        milliseconds = float(page.evaluate("document.documentElement.dataset.ready"))
        elements = page.evaluate("document.querySelectorAll('*').length")
        browser.close()
    print(json.dumps({"wall": milliseconds / 1000, "cpu": taken["ProcessTime"], "calls": elements}))
