"""The page in a real browser: opened from a file, read, clicked, filtered, printed, attacked."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from roce_lint.report import render
from tests.browser.chromium import Browser
from tests.unit.report.sample import OPTIONS
from tests.unit.report.test_html import evil

# One worker does all of it: they share a browser.
pytestmark = [pytest.mark.deep, pytest.mark.xdist_group("browser")]

SHOWN = "[...document.querySelectorAll('.finding')].filter(f => f.checkVisibility())"
FIRST = ".finding:nth-of-type(1) > summary"
STATUS = "document.querySelector('#shown').textContent"
ON = "[...document.querySelectorAll('.edge.on')].map(e => e.dataset.k).sort().join(' ')"


def seen(browser: Browser, selector: str) -> bool:
    """Whether the first element of a selector is visible."""
    script = f"document.querySelector({json.dumps(selector)}).checkVisibility()"
    return bool(browser.run(script))


def test_it_loads_nothing_and_nothing_complains(browser: Browser, broken: str) -> None:
    browser.open(broken)
    browser.click(FIRST)
    assert browser.requests() == [broken]
    assert browser.complaints() == []


def test_the_policy_holds(browser: Browser, broken: str) -> None:
    """Fetching a picture or running an injected script is blocked by the policy of the page."""
    browser.open(broken)
    browser.run(
        "(() => { const image = new Image(); image.src = 'https://example.invalid/x.png';"
        " document.body.append(image); const script = document.createElement('script');"
        " script.textContent = 'window.ran = true'; document.body.append(script); })()"
    )
    assert browser.run("window.ran") is None
    assert browser.refused() == ["csp"]
    assert sum("Content Security Policy" in text for text in browser.complaints()) == 2


def test_a_click_on_a_finding_shows_its_path_and_lines_side_by_side(
    browser: Browser, broken: str
) -> None:
    browser.open(broken)
    assert not seen(browser, ".finding .body")
    browser.click(FIRST)
    assert seen(browser, ".finding .body")
    assert browser.run("location.hash === '#' + document.querySelector('.finding').id")
    hop, lines = browser.run(
        "[...document.querySelector('.finding .step.here').children].map(each => {"
        " const r = each.getBoundingClientRect(); return [r.left, r.right, r.top]; })"
    )
    assert hop[1] < lines[0]
    assert abs(hop[2] - lines[2]) < 8
    wanted = browser.run(
        "document.querySelector('.finding').dataset.edges.split(' ').sort().join(' ')"
    )
    assert wanted != ""
    assert browser.run(ON) == wanted
    browser.click(FIRST)
    assert browser.run(ON) == ""


def test_a_finding_is_opened_by_its_address_and_by_the_keyboard(
    browser: Browser, broken: str
) -> None:
    browser.open(broken)
    name = browser.run("document.querySelectorAll('.finding')[4].id")
    browser.open("about:blank")
    browser.open(f"{broken}#{name}")
    assert browser.run("[...document.querySelectorAll('.finding[open]')].map(f => f.id)") == [name]
    browser.open("about:blank")
    browser.open(broken)
    browser.run("document.querySelector('.finding > summary').focus()")
    browser.press("Enter")
    assert seen(browser, ".finding .body")


def test_filters_leave_what_is_asked_for(browser: Browser, broken: str) -> None:
    browser.open(broken)
    every = browser.run(f"{SHOWN}.length")
    assert every > 10
    browser.click("[value=error]")
    assert browser.run(f"{SHOWN}.every(f => f.dataset.severity !== 'error')")
    assert re.fullmatch(rf"\d+ of {every} findings", browser.run(STATUS))
    browser.click("#reset")
    assert browser.run(f"{SHOWN}.length") == every
    script = (
        "(() => {{ const f = document.querySelector('[name={}]'); f.value = {};"
        " f.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    )
    browser.run(script.format("rule", "'MTU001'"))
    assert browser.run(f"{SHOWN}.map(f => f.dataset.rule)") == ["MTU001"]
    browser.click("#reset")
    browser.run(script.format("text", "'ROCE-CLASIFY'"))
    assert browser.run(f"{SHOWN}.map(f => f.dataset.rule)") == ["MAP003"]
    browser.run(script.format("text", "'no such thing'"))
    assert seen(browser, "#none")


def test_a_click_on_a_link_shows_what_stands_on_it(browser: Browser, broken: str) -> None:
    browser.open(broken)
    numbers = browser.run("document.querySelector('.node[data-f]').dataset.f.split(' ')")
    browser.click(".node[data-f]")
    assert browser.run(f"{SHOWN}.map(f => f.dataset.n)") == numbers
    assert "Filtered: " in browser.run("document.querySelector('#chosen').textContent")
    browser.click("#chosen button")
    assert browser.run(f"{SHOWN}.length") > len(numbers)


def test_the_table_of_pairs_is_walked_by_arrows(browser: Browser, broken: str) -> None:
    browser.open(broken)
    browser.run("document.querySelector('.matrix td[tabindex=\"0\"]').focus()")
    before = browser.run("document.activeElement.title")
    browser.press("ArrowRight")
    assert browser.run("document.activeElement.title") != before
    assert (
        browser.run(
            "document.querySelectorAll('.matrix')[0].querySelectorAll('[tabindex=\"0\"]').length"
        )
        == 1
    )
    numbers = browser.run("document.activeElement.dataset.f.split(' ')")
    browser.press("Enter")
    assert browser.run(f"{SHOWN}.map(f => f.dataset.n)") == numbers


def test_it_can_be_read_without_script(browser: Browser, broken: str) -> None:
    browser.open("about:blank")
    browser.call_page("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(broken)
    assert not seen(browser, "#filters")
    assert browser.run(f"{SHOWN}.length") > 10
    x, y = browser.run(
        "(() => { const r = document.querySelector('.finding > summary').getBoundingClientRect();"
        " return [r.x + r.width / 2, r.y + r.height / 2]; })()"
    )
    assert x > 0 < y
    browser.run("document.querySelector('.finding > summary').focus()")
    for kind in ("rawKeyDown", "char", "keyUp"):
        browser.call_page("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r")
    assert seen(browser, ".finding .step .lines")


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_it_fits_the_window(browser: Browser, broken: str, width: int) -> None:
    browser.size(width, 900)
    browser.open(broken)
    browser.click("#open-all")
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_it_follows_the_night(browser: Browser, broken: str) -> None:
    grounds = []
    for dark in (False, True):
        browser.looks(dark=dark)
        browser.open(broken)
        grounds.append(browser.run("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(18, 22, 27)"]


def test_it_prints_every_finding_with_its_lines(browser: Browser, broken: str) -> None:
    browser.looks(dark=True, printed=True)
    browser.open(broken)
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not seen(browser, "#filters")
    assert seen(browser, ".finding .body .lines")
    assert not seen(browser, ".finding .path")
    pages = len(re.findall(rb"/Type */Page\b(?!s)", browser.paper()))
    assert 3 <= pages <= 30


def test_a_print_says_it_on_three_pages_before_its_appendix(browser: Browser, broken: str) -> None:
    browser.looks(printed=True)
    browser.open(broken)
    assert seen(browser, ".paper")
    said = browser.run("document.querySelector('.paper').innerText")
    assert re.search(r"leaf2 Ethernet1/31 .*\b1500\b", said)
    assert "mtu 9214" in said
    title = "getComputedStyle(document.querySelector('#findings h2'), '::before').content"
    assert browser.run(title) == '"Appendix: "'
    browser.run(
        "document.querySelectorAll('main > section').forEach(s => {"
        " if (!['order', 'fabric'].includes(s.id) && s.className != 'paper') s.remove() })"
    )
    assert len(re.findall(rb"/Type */Page\b(?!s)", browser.paper())) <= 3
    browser.looks()
    browser.open(broken)
    assert not seen(browser, ".paper")


def test_a_head_sorts_and_gives_the_order_back(browser: Browser, broken: str) -> None:
    browser.open(broken)
    rules = "[...document.querySelectorAll('.finding')].map(f => f.dataset.rule)"
    before = browser.run(rules)
    browser.click(".heads span:nth-child(2) button")
    assert browser.run(rules) == sorted(before) != before
    browser.click(".heads span:nth-child(2) button")
    assert browser.run(rules) == before


def test_an_open_finding_says_why_and_can_be_copied(browser: Browser, broken: str) -> None:
    browser.open(broken)
    browser.run(
        "(() => { window.copied = []; Object.defineProperty(navigator, 'clipboard',"
        " {value: {writeText: async text => { window.copied.push(text); }}}); })()"
    )
    browser.click(FIRST)
    assert "How to fix" in browser.run("document.querySelector('.finding .reference').textContent")
    browser.run("[...document.querySelectorAll('.finding .copies button')].forEach(b => b.click())")
    browser.run("document.querySelector('#copy-csv').click()")
    link, ticket, fix, csv = browser.run("window.copied")
    assert link.startswith(f"{broken}#f-")
    assert ticket.startswith("**error ")
    assert link in ticket
    assert fix in ticket
    assert csv.splitlines()[0] == '"severity","rule","what","where","pairs"'
    assert len(csv.splitlines()) == 1 + browser.run(f"{SHOWN}.length")


def test_keys_lead_through_the_findings(browser: Browser, broken: str) -> None:
    browser.open(broken)
    at = "document.activeElement.closest('.finding')?.dataset.n"
    for key, number in (("j", "0"), ("j", "1"), ("k", "0")):
        browser.press(key)
        assert browser.run(at) == number
    browser.press("/")
    assert browser.run("document.activeElement.name") == "text"


def test_hostile_text_does_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "evil.html"
    path.write_text(render("html", evil(), OPTIONS), encoding="utf-8")
    browser.open(path.as_uri())
    browser.click(FIRST)
    assert browser.run("document.scripts.length") == 1
    assert browser.run("document.images.length") == 0
    assert browser.requests() == [path.as_uri()]
    assert browser.complaints() == []
    assert not [e for e in browser.events if e.get("method") == "Page.javascriptDialogOpening"]
