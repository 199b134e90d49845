"""A headless Chromium, and pages to show it.  Without a browser these tests are skipped."""

import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.report.about import About
from kernelproba.report.comparison import compare
from kernelproba.report.render import write_report
from kernelproba.report.summary import summarise

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
NAMES = ["<script>alert(1)</script>", "🐈‍⬛ 🦊", "שלום עולם", "x" * 200]
COLUMNS = ['"><img src=x onerror=alert(2)>', "🦊", "عمود", "long " * 40]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no Chromium with chromedriver here: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield chrome
    chrome.quit()


def show(browser, path, *, width=1100, theme="light"):
    """Open a page as if for the first time, on a screen of this width, with this theme of the system."""
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    feature = {"name": "prefers-color-scheme", "value": theme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.get(path.as_uri())
    browser.execute_script("localStorage.clear()")
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(path.as_uri())


@pytest.fixture(scope="session")
def wine_page(tmp_path_factory):
    """The report of an ordinary model, with rivals."""
    data = load_wine(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    model, rival = (
        make_pipeline(StandardScaler(), inner)
        for inner in (KernelLogisticRegressionCV([1.0], [0.08], kernel="rbf"), LogisticRegression())
    )
    rivals = compare(X, y, {"ours": model, "logistic regression": rival}, cv=2)
    summary = summarise(
        model.fit(X[::2], y[::2]),
        X[1::2],
        y[1::2],
        training=(X[::2], y[::2]),
        rivals=rivals,
        about=About("kind of wine", "make it"),
    )
    return write_report(summary, tmp_path_factory.mktemp("wine") / "report.html")


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory):
    """The report of a model whose classes, columns, methods and command try to be more than text."""
    rng = np.random.RandomState(0)
    codes = rng.randint(4, size=300)
    X = pd.DataFrame(rng.normal(size=(300, 4)) + np.eye(4)[codes], columns=COLUMNS)
    y = np.array(NAMES, dtype=object)[codes]
    rivals = compare(X, y, {"<b>bold</b>": LogisticRegression(), "</td>": "no estimator"}, cv=2)
    summary = summarise(
        KernelLogisticRegression().fit(X[:150], y[:150]),
        X[150:],
        y[150:],
        training=(X[:150], y[:150]),
        rivals=rivals,
        about=About("<img src=x onerror=alert(4)>", "kernelproba </pre><script>alert(3)</script>"),
    )
    return write_report(summary, tmp_path_factory.mktemp("hostile") / "report.html")


@pytest.fixture(scope="session")
def sixty_page(tmp_path_factory):
    """The report of a model with sixty classes in two columns."""
    rng = np.random.RandomState(0)
    codes = np.arange(360) % 60
    X = np.stack([codes % 8, codes // 8], axis=1) + 0.3 * rng.normal(size=(360, 2))
    y = np.array([f"class {k}" for k in codes])
    summary = summarise(KernelLogisticRegression(C=10).fit(X[:180], y[:180]), X[180:], y[180:])
    return write_report(summary, tmp_path_factory.mktemp("sixty") / "report.html")
