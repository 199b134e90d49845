"""Open every page of the built site in headless Chromium: no error on the console, none wider than a phone.

python docs/open_site.py docs/_build/html [--pictures FOLDER]

With --pictures the pages people see first are kept as PNG, in both schemes and at two widths.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver

WIDTHS = (1280, 400)
SCHEMES = ("light", "dark")
PICTURED = (
    "index",
    "start/five-minutes",
    "guide/probabilities",
    "gallery/index",
    "gallery/6_scale/plot_compress",
    "results/tables",
    "errors/index",
    "api/generated/kernelproba.KernelLogisticRegression",
)
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")


@contextmanager
def chromium() -> Iterator[webdriver.Chrome]:
    """A browser with a profile of its own."""
    binary, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if binary is None or driver is None:
        sys.exit("no Chromium with chromedriver here: apt-get install chromium chromium-driver")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            yield browser
        finally:
            browser.quit()


def show(browser: webdriver.Chrome, page: Path, width: int, scheme: str) -> None:
    """Open a page on a screen of this width, with this scheme of the system."""
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.get(page.as_uri())


def problems(browser: webdriver.Chrome, root: Path) -> Iterator[str]:
    """What is wrong, a line each."""
    for page in sorted(path for path in root.rglob("*.html") if "_static" not in path.parts):
        show(browser, page, WIDTHS[1], SCHEMES[0])
        name = page.relative_to(root)
        said = [entry for entry in browser.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]
        yield from (f"{name}: {entry['message']}" for entry in said)
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        if wide > WIDTHS[1]:
            yield f"{name} is {wide} pixels wide on a screen of {WIDTHS[1]}"


def take_pictures(browser: webdriver.Chrome, root: Path, folder: Path) -> None:
    """Keep what people see first."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PICTURED:
        for width in WIDTHS:
            for scheme in SCHEMES:
                show(browser, root / f"{page}.html", width, scheme)
                browser.save_screenshot(str(folder / f"{page.replace('/', '-')}-{width}-{scheme}.png"))


def main() -> None:
    """Print what is wrong and exit with 1 if anything is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("site", type=lambda text: Path(text).resolve())
    parser.add_argument("--pictures", type=Path)
    asked = parser.parse_args()
    with chromium() as browser:
        found = list(problems(browser, asked.site))
        if asked.pictures:
            take_pictures(browser, asked.site, asked.pictures)
    print(*found, sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
