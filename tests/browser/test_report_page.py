"""The report as a reader meets it: in a browser, by mouse and by keyboard, in both themes, on a phone."""

import itertools

import pytest
from browser.conftest import COLUMNS, NAMES, show

TABS = [
    "scores",
    "classes",
    "columns",
    "calibration",
    "mistakes",
    "sets",
    "map",
    "rows",
    "data",
    "reproduce",
]
FIGURES = {
    "scores": 4,
    "columns": 1 + 4,
    "calibration": 1 + 3,
    "mistakes": 2,
    "sets": 1,
    "map": 1,
    "rows": 0,
    "data": 0,
    "reproduce": 0,
}


@pytest.fixture(params=["wine_page", "hostile_page", "sixty_page"])
def page(request):
    return request.getfixturevalue(request.param)


def _by(browser, selector):
    return browser.find_element("css selector", selector)


def _open(browser, tab):
    _by(browser, f"#tab-{tab}").click()


def _selected(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('[aria-selected=true]')].map(tab => tab.id.slice(4))"
    )


def _shown(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('main > section')].filter(s => s.offsetHeight).map(s => s.id)"
    )


def _press(browser, *names):
    from selenium.webdriver import ActionChains, Keys

    for name in names:
        ActionChains(browser).send_keys(getattr(Keys, name)).perform()


def test_the_page_renders_without_console_messages_and_loads_nothing(browser, page):
    show(browser, page)
    for tab in TABS:
        _open(browser, tab)
    assert browser.get_log("browser") == []
    loaded = browser.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert [name for name in loaded if not name.startswith("data:")] == []


@pytest.mark.parametrize(("width", "theme"), [(1100, "light"), (400, "dark")])
def test_every_figure_is_visible_and_inside_the_screen(browser, wine_page, width, theme):
    show(browser, wine_page, width=width, theme=theme)
    for tab, count in FIGURES.items():
        _open(browser, tab)
        boxes = browser.execute_script(
            f"return [...document.querySelectorAll('#{tab} svg.figure')].map(f => {{"
            "const b = f.getBoundingClientRect(); return [b.left, b.right, b.width, b.height]; })"
        )
        assert len(boxes) == count, tab
        for left, right, box_width, height in boxes:
            assert 0 <= left < right <= width
            assert box_width > 100
            assert height > 60


def test_every_text_of_a_figure_lies_inside_it(browser, page):
    show(browser, page)
    for tab in TABS:
        _open(browser, tab)
        outside = browser.execute_script(
            f"return [...document.querySelectorAll('#{tab} svg.figure text')].filter(t => {{"
            "const b = t.getBoundingClientRect(), f = t.closest('svg').getBoundingClientRect();"
            "return b.left < f.left - 3 || b.right > f.right + 3"
            "    || b.top < f.top - 3 || b.bottom > f.bottom + 3;"
            "}).map(t => t.textContent)"
        )
        assert outside == []


def test_the_mouse_opens_one_tab_at_a_time(browser, wine_page):
    show(browser, wine_page)
    assert _shown(browser) == ["scores"]
    for tab in TABS[::-1]:
        _open(browser, tab)
        assert _shown(browser) == _selected(browser) == [tab]


def test_the_keyboard_walks_through_the_tabs_and_around(browser, wine_page):
    show(browser, wine_page)
    _by(browser, "#tab-scores").click()
    for keys, tab in [
        (["ARROW_RIGHT"], "classes"),
        (["END"], "reproduce"),
        (["ARROW_RIGHT"], "scores"),
        (["ARROW_LEFT"], "reproduce"),
        (["HOME"], "scores"),
    ]:
        _press(browser, *keys)
        assert _shown(browser) == _selected(browser) == [tab]
        assert browser.switch_to.active_element.get_attribute("id") == f"tab-{tab}"


def test_an_address_with_the_name_of_a_tab_opens_it(browser, wine_page):
    show(browser, wine_page)
    browser.get("about:blank")
    browser.get(wine_page.as_uri() + "#map")
    assert _shown(browser) == ["map"]


@pytest.mark.parametrize(
    ("tab", "selector"),
    [
        ("scores", "circle.point"),
        ("calibration", "circle.point"),
        ("calibration", "rect.bar"),
        ("mistakes", "rect.cell"),
        ("mistakes", "rect.bar"),
        ("sets", "circle.point"),
        ("map", "circle.dot"),
    ],
)
def test_a_mark_under_the_mouse_tells_what_it_is(browser, wine_page, tab, selector):
    from selenium.webdriver import ActionChains

    show(browser, wine_page)
    _open(browser, tab)
    mark, tip = _by(browser, f"#{tab} svg.figure {selector}"), _by(browser, "#tip")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
    ActionChains(browser).move_to_element(mark).perform()
    told = browser.execute_script(
        "return document.elementFromPoint(...arguments[0]).dataset.tip", _centre(mark)
    )
    assert tip.is_displayed()
    assert tip.text == told
    ActionChains(browser).move_to_element(_by(browser, f"#{tab} h2")).perform()
    assert not tip.is_displayed()


def _centre(mark):
    return mark.parent.execute_script(
        "const b = arguments[0].getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", mark
    )


def test_a_mark_under_the_focus_tells_what_it_is(browser, wine_page):
    show(browser, wine_page)
    _open(browser, "mistakes")
    _press(browser, "TAB")
    marks, tip = (
        browser.find_elements("css selector", "#mistakes svg.figure:first-of-type rect.cell"),
        _by(browser, "#tip"),
    )
    assert browser.switch_to.active_element == marks[0]
    for mark, key in itertools.zip_longest(marks[:3], ["ARROW_RIGHT", "ARROW_RIGHT", "ESCAPE"]):
        assert tip.is_displayed()
        assert tip.text == mark.get_attribute("data-tip") == mark.accessible_name
        _press(browser, key)
    assert not tip.is_displayed()


def test_a_figure_is_one_stop_of_the_tab_key(browser, wine_page):
    show(browser, wine_page)
    stops = browser.execute_script(
        "return [...document.querySelectorAll('svg.figure')]"
        ".map(figure => figure.querySelectorAll('[tabindex=\"0\"]').length)"
    )
    assert set(stops) == {1}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_the_systems_until_the_reader_chooses_and_is_remembered(browser, wine_page, theme):
    show(browser, wine_page, theme=theme)
    assert (_brightness(browser) < 128) == (theme == "dark")
    _by(browser, "#theme").click()
    assert (_brightness(browser) < 128) == (theme == "light")
    browser.refresh()
    assert (_brightness(browser) < 128) == (theme == "light")


def _brightness(browser):
    red, green, blue = _rgb(browser, "document.body", "backgroundColor")
    return 0.3 * red + 0.6 * green + 0.1 * blue


def _rgb(browser, element, style):
    return browser.execute_script(
        "const c = document.createElement('canvas').getContext('2d');"
        f"c.fillStyle = getComputedStyle({element}).{style};"
        "c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3)"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_from_the_page_as_wcag_asks(browser, wine_page, theme):
    show(browser, wine_page, theme=theme)
    page = _luminance(_rgb(browser, "document.body", "backgroundColor"))
    for selector, style in [
        ("p.lead", "color"),
        ("figcaption", "color"),
        (".figure .tick", "fill"),
        (".figure .legend.wrong", "fill"),
        ("[role=tab]:last-child", "color"),
        ("tr.ours td", "color"),
    ]:
        text = _luminance(_rgb(browser, f"document.querySelector('{selector}')", style))
        light, dark = max(text, page), min(text, page)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, selector


def _luminance(rgb):
    linear = [
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (part / 255 for part in rgb)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_phone_needs_no_sideways_scrolling(browser, page):
    show(browser, page, width=400)
    for tab in TABS:
        _open(browser, tab)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 400, tab


def test_a_phone_shows_whole_tables(browser, wine_page):
    show(browser, wine_page, width=400)
    for tab in TABS:
        _open(browser, tab)
        hidden = browser.execute_script(
            f"return [...document.querySelectorAll('#{tab} .scroll')].map(s => s.scrollWidth - s.clientWidth)"
        )
        assert max(hidden, default=0) <= 0, tab


def test_hostile_names_are_shown_as_text(browser, hostile_page):
    from selenium.common.exceptions import NoAlertPresentException

    show(browser, hostile_page)
    for tab in TABS:
        _open(browser, tab)
    with pytest.raises(NoAlertPresentException):
        browser.switch_to.alert  # noqa: B018
    assert len(browser.find_elements("css selector", "script")) == 1
    assert browser.find_elements("css selector", "img, td b > b, main td[colspan] + td") == []
    _open(browser, "data")
    text = " ".join(_by(browser, "#data").text.split())
    for name in NAMES + COLUMNS:
        assert " ".join(name.split()) in text
    _open(browser, "scores")
    assert "<b>bold</b>" in _by(browser, "#scores").text
    _open(browser, "reproduce")
    assert "</pre><script>alert(3)</script>" in _by(browser, "#reproduce").text


def test_right_to_left_names_do_not_turn_what_is_beside_them(browser, hostile_page):
    show(browser, hostile_page)
    _open(browser, "mistakes")
    row = browser.execute_script(
        "const rows = [...document.querySelectorAll('#mistakes tbody tr')];"
        "const r = rows.find(r => r.textContent.includes('שלום'));"
        "return [...r.cells].map(c => c.getBoundingClientRect().left)"
    )
    assert row == sorted(row)


def test_paper_gets_every_part(browser, wine_page):
    show(browser, wine_page)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert _shown(browser) == TABS
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_tables_stay_tables_on_paper(browser, wine_page):
    show(browser, wine_page, width=690)  # what A4 leaves between its margins
    head = "return getComputedStyle(document.querySelector('.cards-on-phone thead')).display"
    assert browser.execute_script(head) == "none"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script(head) == "table-header-group"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
