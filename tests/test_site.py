"""The built site: links lead somewhere, and a browser shows its pages without a fault.

`.ci/run` builds it and gives its folder as SKSHAKE_SITE.
"""

import os
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

SITE = Path(os.environ.get("SKSHAKE_SITE", ""))
WIDE, NARROW = 1280, 390

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "SKSHAKE_SITE" not in os.environ,
        reason="SKSHAKE_SITE names no folder that .ci/site built",
    ),
]


class Page(HTMLParser):
    """Links of a page, and the anchors that links may name."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id":
                self.anchors.add(value)
            elif key in {"href", "src"} and value:
                self.links.append(value)


def browse():
    """A Chromium without windows; skips where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = [path for name in names if (path := shutil.which(name))]
    driver = shutil.which("chromedriver")
    if not found or driver is None:
        pytest.skip("no Chromium with its chromedriver on this machine")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for argument in (
        "--headless=new",
        "--hide-scrollbars",
        "--no-sandbox",
        "--disable-dev-shm-usage",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    return webdriver.Chrome(options=options, service=service)


def test_links_lead_somewhere():
    pages = {
        path.resolve(): Page(path)
        for path in SITE.rglob("*.html")
        # Not the theme's templates.
        if "_static" not in path.parts
    }
    assert len(pages) > 80
    broken = []
    for path, page in pages.items():
        for link in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            # Of what is no page, such as a script, no anchor is asked for.
            anchors = pages[target].anchors if target in pages else {url.fragment}
            if not target.is_file() or unquote(url.fragment) not in anchors:
                broken.append((path.name, link))
    assert not broken


@pytest.mark.parametrize(("width", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
def test_pages_have_no_errors_and_fit_the_window(width, scheme):
    paths = [
        path
        for path in sorted(SITE.rglob("*.html"))
        # Pages of the API are alike; those of the two largest stand for them.
        if not {"_static", "generated"} & {*path.parts}
        or path.stem in {"skshake.KFCoarsener", "skshake.SHAKEClassifier"}
    ]
    faults = []
    browser = browse()
    try:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        prefers = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": prefers})
        for path in paths:
            browser.get(path.resolve().as_uri())
            page = browser.execute_script(
                "const page = document.documentElement;"
                "return [page.scrollWidth, page.dataset.theme];"
            )
            if page != [width, scheme]:
                faults.append((path.name, page))
            for entry in browser.get_log("browser"):
                if entry["level"] == "SEVERE":
                    faults.append((path.name, entry["message"]))
    finally:
        browser.quit()
    assert len(paths) > 30
    assert not faults
