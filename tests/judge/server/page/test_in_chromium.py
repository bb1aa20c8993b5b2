"""The page, as people see it: in Chromium."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.judge.server.page.conftest import INJECTION, REQUIRED, RIGHT, SLOW, WRONG, Guarded, Site, missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.skipif(missing() is not None and not REQUIRED, reason=str(missing()))

_COLOUR = "one => getComputedStyle(one).color"
#: Where screenshots go, if they are wanted: JUDGE_SCREENSHOTS=docs.
_SHOTS = os.environ.get("JUDGE_SCREENSHOTS")
PAGES = {
    "submit": "/",
    "judgements": "/judgements",
    "accepted": "/judgements/{AC}",
    "judgement": "/judgements/{WA}",
    "compile-error": "/judgements/{CE}",
    "conversation": "/judgements/{talk}",
    "time-out": "/judgements/{TLE}",
    "thousand": "/judgements/{thousand}",
    "package": "/judgements/{package}",
    "long": "/judgements/{long}",
    "execution": "/judgements/{execution}",
    "batches": "/batches",
    "batch": "/batches/{batch}",
    "problems": "/problems",
    "problem": "/problems/P1908",
    "machine": "/machine",
    "nowhere": "/judgements/nowhere",
    "docs": "/docs",
}
#: In the documentation: page, language, width, whether dark.
SHOWN = (
    ("judgement", "en", 1280, False),
    ("judgement", "zh-CN", 1280, True),
    ("judgement", "en", 390, False),
    ("submit", "zh-CN", 390, False),
    ("thousand", "en", 1280, False),
    ("judgements", "zh-CN", 390, False),
    ("batch", "en", 1280, False),
    ("problem", "zh-CN", 1280, False),
    ("machine", "en", 1280, True),
)


@contextmanager
def opened(
    browser: Browser,
    locale: str = "en",
    width: int = 1280,
    *,
    dark: bool = False,
    js: bool = True,
    hushed: bool = False,
) -> Iterator[Page]:
    """A page of a new profile. Unless `hushed`, what goes wrong in its scripts, is refused, or is asked of another host
    fails the test."""
    context = browser.new_context(
        locale=locale,
        viewport={"width": width, "height": 800},
        color_scheme="dark" if dark else "light",
        java_script_enabled=js,
        timezone_id="Asia/Shanghai",
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    wrong: list[str] = []
    page.on("request", lambda sent: wrong.append(sent.url) if urlsplit(sent.url).hostname != "127.0.0.1" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    try:
        yield page
        assert hushed or not [one for one in wrong if "status of" not in one], wrong
    finally:
        context.close()


def address(site: Site, name: str) -> str:
    return site.url + PAGES[name].format(**site.ids)


def write(page: Page, source: str) -> None:
    """Into the editor, in place of what it holds."""
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)


def written(page: Page) -> str:
    """What the editor holds."""
    return page.locator(".cm-content").evaluate("one => one.cmTile.view.state.doc.toString()")


def axe(page: Page) -> list[str]:
    """What axe-core finds that is serious."""
    import axe_playwright_python

    script = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
    page.evaluate(script)
    found: dict[str, Any] = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize(
    ("locale", "dark"),
    [
        pytest.param("en", False, id="en-light"),
        pytest.param("zh-CN", True, id="zh-CN-dark", marks=pytest.mark.long),
        pytest.param("en", True, id="en-dark", marks=pytest.mark.long),
        pytest.param("zh-CN", False, id="zh-CN-light", marks=pytest.mark.long),
    ],
)
def test_nothing_keeps_anybody_from_using_it(browser: Browser, site: Site, locale: str, dark: bool) -> None:
    with opened(browser, locale, dark=dark) as page:
        found = {}
        for name in PAGES:
            page.goto(address(site, name))
            assert page.get_attribute("html", "lang") == locale
            if wrong := axe(page):
                found[name] = wrong
        assert not found


@pytest.mark.parametrize("width", [1280, 390])
def test_it_is_as_wide_as_the_window(browser: Browser, site: Site, width: int) -> None:
    with opened(browser, width=width) as page:
        for name in PAGES:
            page.goto(address(site, name))
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name


#: Texts broken a few letters a line, dates of more lines than day and time, and what scrolls without saying so.
_BROKEN = """() => {
    const found = [], lines = (one) => new Set([...one.getClientRects()].map((box) => Math.round(box.top))).size;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim(), range = document.createRange();
        const unseen = ".hidden, pre, datalist, select, [hidden]";
        if (text.length < 4 || walker.currentNode.parentElement.closest(unseen)) continue;
        range.selectNodeContents(walker.currentNode);
        if (lines(range) > 2 && text.length / lines(range) < 4) found.push(text);
    }
    for (const time of document.querySelectorAll("time")) {
        if (lines(time) > 2) found.push(time.textContent);
        if (!time.closest(".scroll") && time.getBoundingClientRect().right > innerWidth) found.push(time.textContent);
    }
    for (const box of document.querySelectorAll(".scroll, pre"))
        if (!getComputedStyle(box).backgroundAttachment.startsWith("local, local, scroll")) found.push(box.outerHTML);
    return found;
}"""


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_nothing_is_broken_at_the_width_of_a_phone(browser: Browser, site: Site, locale: str) -> None:
    with opened(browser, locale, 390) as page:
        for name in PAGES:
            page.goto(address(site, name))
            assert page.evaluate(_BROKEN) == [], name
        page.goto(address(site, "judgements"))
        right = "all => Math.max(...all.map((one) => one.getBoundingClientRect().right))"
        assert page.locator(".work time").evaluate_all(right) < 390


def test_a_thousand_tests_fold(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.goto(address(site, "thousand"))
        assert page.evaluate("document.documentElement.scrollHeight") < 4000
        assert page.locator("details.part[open]").count() == 1
        assert "secret/0333" in page.inner_text("details.part[open]")
        page.fill("#wanted-name", "0600")
        page.keyboard.press("Enter")
        page.wait_for_url("**#wanted")
        assert "secret/0600" in page.inner_text("#wanted")
        assert page.locator("#wanted").evaluate("one => one.getBoundingClientRect().top < innerHeight")
        page.click("text=WA 2")
        assert page.locator("table.tests tbody tr").count() == 2


def test_texts_are_copied_and_saved(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(site.url + "/problems/P1001")
        page.locator("button[data-copy^=input]").first.click()
        assert page.evaluate("navigator.clipboard.readText()") == "20 30\n"
        page.goto(site.url + "/problems/thousand")
        page.locator("button[data-copy^=input]").first.click()
        page.wait_for_selector("text=Copied")
        assert len(page.evaluate("navigator.clipboard.readText()")) == 6002, "all of it, not what is shown"
        page.goto(address(site, "long"))
        assert "xxx" in page.inner_text("section:has(#in-title) pre")
        with page.expect_download() as saved:
            page.click("section:has(#out-title) a[href*=download]")
        assert saved.value.path().read_text().endswith("line 3999\n")


def test_figures_have_numbers_and_more_than_colours(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.goto(address(site, "batch"))
        assert page.locator(".axes .y span").all_inner_texts()[::2] == ["7", "0"]
        assert page.locator(".axes .x time").count() == 2
        looks = page.locator(".key rect[fill]").evaluate_all("all => all.map((one) => one.getAttribute('fill'))")
        assert len(set(looks)) == len(looks) == 3
        assert page.locator("#p-WA path, #p-CE path").count() == 2


def test_details_are_in_the_language_of_the_page(browser: Browser, site: Site) -> None:
    with opened(browser, "zh-CN") as page:
        page.goto(address(site, "judgement"))
        assert "期望“-13”，实际为“3”" in page.inner_text(".first")
        page.goto(address(site, "time-out"))
        assert "超出限制" in page.inner_text(".first")


def test_tests_come_in(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.goto(site.url)
        page.fill("#problem", "P1001")
        assert not page.is_visible("#stdin")
        page.select_option("#language", "python3")
        write(page, SLOW)
        page.click("button.primary")
        page.wait_for_url("**/judgements/*")
        state = page.locator("#state")
        assert state.get_attribute("aria-live") == "polite"
        page.locator("body:has([data-events]):has(#tests tr ~ tr)").wait_for()  # while it still runs
        assert page.evaluate("document.getElementById('progress')?.max ?? 12") == 12
        assert "python3" in page.inner_text(".facts")
        page.wait_for_selector("h1 .v-AC")
        assert "AC" in page.title()
        assert state.inner_text().startswith("AC")
        told = site.server.client.get(f"/v1/judgements/{page.url.rsplit('/', 1)[1]}").json()["judgement"]
        assert page.locator("table.tests tbody tr").count() == len(told["tests"])


def test_it_works_without_javascript(browser: Browser, site: Site) -> None:
    with opened(browser, js=False) as page:
        page.goto(site.url)
        page.fill("#source", "print(input()[::-1])")
        page.select_option("#language", "python3")
        page.fill("#stdin", "stressed")
        page.click("button.primary")
        page.wait_for_selector("h1 .v-OK")  # it loads itself again
        assert page.inner_text("section:has(#out-title) pre") == "desserts\n"


def test_everything_can_be_done_by_keyboard(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.goto(site.url)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "problem"
        page.keyboard.type("P1001")
        write(page, RIGHT)
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**/judgements/*")


def test_the_editor_indents_and_can_be_left(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.goto(site.url)
        page.fill("#problem", "P1001")
        page.select_option("#language", "cpp17")
        assert page.locator("#source").is_hidden()
        assert page.locator(".editor").evaluate("one => getComputedStyle(one).borderTopWidth") == "1px"
        page.click("label[for=source]")
        page.keyboard.type("int main() {\nreturn 0; // done\n}")
        assert written(page) == "int main() {\n    return 0; // done\n}"
        page.keyboard.press("Control+Home")
        page.keyboard.press("Tab")
        assert written(page).startswith("    int")
        assert page.locator(".cm-lineNumbers .cm-gutterElement:visible").all_inner_texts()[-3:] == ["1", "2", "3"]
        words = ("return", "0", "// done")
        colours = {page.locator(f".cm-line span:text-is('{word}')").evaluate(_COLOUR) for word in words}
        assert len(colours) == 3
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "primary"
        page.click("button.primary")
        page.wait_for_url("**/judgements/*")
        assert (page.text_content("pre.code") or "").startswith("    int main() {\n    return 0;")


def test_the_source_is_a_plain_field_without_javascript(browser: Browser, site: Site) -> None:
    with opened(browser, js=False) as page:
        page.goto(f"{site.url}/?again={site.ids['WA']}")
        assert page.input_value("#source") == WRONG
        assert page.locator(".editor").count() == 0


def test_a_wrong_field_is_told_and_nothing_is_lost(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.goto(site.url)
        page.fill("#problem", "P10001")
        write(page, WRONG + INJECTION)
        page.click("button.primary")
        assert "unknown problem 'P10001'" in page.inner_text("[role=alert]")
        assert page.get_attribute("#problem", "aria-invalid") == "true"
        assert written(page) == WRONG + INJECTION
        write(page, "")
        page.click("button.primary")
        assert "choose a file" in page.inner_text("[role=alert]")


def test_a_file_is_submitted(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.goto(site.url)
        page.fill("#problem", "P1001")
        page.set_input_files("#file", {"name": "a.cpp", "mimeType": "text/plain", "buffer": RIGHT.encode()})
        page.click("button.primary")
        page.wait_for_selector("h1 .v-AC")
        page.click("text=Change and submit again")
        assert page.input_value("#problem") == "P1001"


def test_no_script_of_a_submission_runs(browser: Browser, site: Site) -> None:
    refused: list[str] = []
    with opened(browser) as page:
        page.on("console", lambda said: refused.append(said.text) if "Content Security" in said.text else None)
        pages = [f"/judgements/{id_}" for name, id_ in site.ids.items() if name.startswith("hostile")]
        pages += [f"/?again={site.ids[name]}" for name in ("hostile", "hostile run")]
        pages += ["/", "/judgements", "/problems", "/problems/hostile", f"/judgements?problem={INJECTION}"]
        pages += [
            f"/problems?search={INJECTION}",
            f"/?problem={INJECTION}",
            f"/judgements/{INJECTION}",
            f"/?again={INJECTION}",
        ]
        for path in pages:
            page.goto(site.url + path)
            page.wait_for_load_state()
            assert page.evaluate("window.hit") is None, path
            assert page.locator("main script, main img, main svg[onload], main [onerror]").count() == 0, path
            assert page.locator("main a[href^=javascript]").count() == 0, path
        assert not refused, "the text was escaped, so that nothing had to be refused"
        page.goto(f"{site.url}/judgements/{site.ids['hostile end']}")
        assert "<img src=x" in page.inner_text(".first"), "what it wrote is shown as text"


def test_a_script_in_the_page_would_be_refused(browser: Browser, site: Site) -> None:
    """The control of the test above: what the headers hold back, even if a text were not escaped."""
    with opened(browser, hushed=True) as page:
        page.goto(site.url)
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', \"<img src='/nowhere' onerror='window.hit=1'>\"),"
            "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hit=2'}))"
        )
        page.wait_for_timeout(200)
        assert page.evaluate("window.hit") is None
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(site.url)
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hit=2'}))"
    )
    assert page.evaluate("window.hit") == 2
    context.close()


def test_the_language_is_switched_and_kept(browser: Browser, site: Site) -> None:
    with opened(browser, "zh-CN") as page:
        page.goto(address(site, "judgements") + "?verdict=WA")
        page.click(".aside a[hreflang=en]")
        assert page.url.endswith("/judgements?verdict=WA")
        assert page.inner_text("h1") == "Judgements"
        page.goto(site.url)
        assert page.get_attribute("html", "lang") == "en"


def test_times_are_those_of_the_visitor(browser: Browser, site: Site) -> None:
    with opened(browser) as page:
        page.goto(address(site, "accepted"))
        time = page.locator(".facts time")
        utc = re.sub(r"[TZ]", " ", time.get_attribute("datetime") or "").strip()
        assert page.evaluate("then => (new Date(then + 'Z')).getHours()", utc.replace(" ", "T")) == int(
            time.inner_text()[11:13]
        )


def test_keys(browser: Browser, guarded: Guarded) -> None:
    with opened(browser) as page:
        page.goto(f"{guarded.url}/problems/P1001")
        assert "/login?next=/problems/P1001" in page.url
        assert axe(page) == []
        page.fill("#key", "wrong")
        page.click("main button")
        assert "does not know this key" in page.inner_text("[role=alert]")
        page.fill("#key", guarded.keys["submit"])
        page.click("main button")
        assert page.url == f"{guarded.url}/problems/P1001"
        page.click("text=Submit a program")
        write(page, WRONG)
        page.click("button.primary")
        page.wait_for_selector("h1 .v-WA")
        where = page.url
        assert "hidden from your key" in page.inner_text(".first")
        cookies = page.context.cookies()
        assert {(one["httpOnly"], one["sameSite"]) for one in cookies} == {(True, "Strict")}
        assert all(key not in one["value"] for key in guarded.keys.values() for one in cookies)
        page.click("text=Sign out")
        page.goto(where)
        assert "/login" in page.url
        page.fill("#key", guarded.keys["admin"])
        page.click("main button")
        assert page.url == where
        assert page.locator(".sides").count() == 1


def test_how_soon_it_is_seen(browser: Browser, site: Site) -> None:
    """First paint, of the best of three: told, not judged."""
    for name in ("submit", "judgements", "judgement", "problem", "machine"):
        with opened(browser) as page:
            paints = []
            for _ in range(3):
                page.goto(address(site, name))
                page.wait_for_timeout(200)
                paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            print(f"first contentful paint of {name}: {min(paints):.0f} ms")
            assert min(paints) > 0


@pytest.mark.skipif(_SHOTS is None, reason="JUDGE_SCREENSHOTS names no directory")
@pytest.mark.parametrize(("name", "locale", "width", "dark"), SHOWN)
def test_screenshots(browser: Browser, site: Site, name: str, locale: str, width: int, dark: bool) -> None:
    with opened(browser, locale, width, dark=dark) as page:
        page.goto(address(site, name))
        language = locale.partition("-")[0]
        path = Path(str(_SHOTS)) / f"page-{name}-{language}-{width}{'-dark' if dark else ''}.png"
        page.screenshot(path=path, full_page=False)
        assert path.stat().st_size > 1000
