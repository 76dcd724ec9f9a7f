"""A person who uses the studio: keyboard alone, little contrast, names for what is drawn, fingers and pens, two languages, three sizes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from test_page_timeline import SHEET, default_sheet, until

from browser import Faults, Studio, frame, new_page, visit, wait_for_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

PARTS = ("limited", "keyposes", "exaggerate", "puppet", "hair", "translate")
SIZES = ((1024, 640), (1280, 720), (1920, 1080))

CONTRAST = """() => {
    const parsed = (text) => {
        const found = text.match(/rgba?\\(([^)]+)\\)/);
        if (!found) return null;
        const [r, g, b, a = 1] = found[1].split(/[ ,/]+/).filter(Boolean).map(Number);
        return { r, g, b, a };
    };
    const over = (top, under) => ({
        r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1,
    });
    const ground = (element) => {
        const layers = [];
        for (let one = element; one; one = one.parentElement) {
            const colour = parsed(getComputedStyle(one).backgroundColor);
            if (colour && colour.a > 0) layers.unshift(colour);
            if (colour && colour.a === 1) break;
        }
        return layers.reduce((under, top) => over(top, under), { r: 255, g: 255, b: 255, a: 1 });
    };
    const light = ({ r, g, b }) => {
        const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const ratio = (one, two) => {
        const [a, b] = [light(one), light(two)].sort((p, q) => q - p);
        return (a + 0.05) / (b + 0.05);
    };
    const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
    const faint = (element) => {
        for (let one = element; one; one = one.parentElement) if (one.disabled || one.getAttribute('aria-disabled') === 'true') return true;
        return false;
    };
    const named = (element) => `${element.tagName}#${element.id}.${element.className} "${(element.textContent || '').trim().slice(0, 30)}"`;
    const wrong = [];
    let texts = 0, controls = 0;
    for (const element of document.querySelectorAll('body *')) {
        // What is just fading away has been read.
        const fading = element.closest('.said-on-stage li');
        if (!seen(element) || faint(element) || (fading && Number(getComputedStyle(fading).opacity) < 1)) continue;
        const style = getComputedStyle(element);
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        if (own || element.matches('select, input[type=text], input[type=number]')) {
            texts += 1;
            let opacity = 1;
            for (let one = element; one; one = one.parentElement) opacity *= Number(getComputedStyle(one).opacity);
            const under = ground(element);
            const ink = parsed(style.color);
            const found = ratio(over({ ...ink, a: ink.a * opacity }, under), under);
            if (found < 4.5) wrong.push(`text ${found.toFixed(2)} ${named(element)}`);
        }
        // Fields are told by their frames; buttons by their words or signs, and pressed ones by their ground.
        if (element.matches('select, input[type=text], input[type=number]')) {
            controls += 1;
            const found = ratio(over(parsed(style.borderTopColor), ground(element.parentElement)), ground(element.parentElement));
            if (found < 3) wrong.push(`frame ${found.toFixed(2)} ${named(element)}`);
        }
        if (element.matches('svg') && element.closest('button, summary')) {
            controls += 1;
            const colour = parsed(style.stroke !== 'none' ? style.stroke : style.fill);
            const found = ratio(colour, ground(element));
            if (found < 3) wrong.push(`sign ${found.toFixed(2)} ${named(element.closest('button, summary'))} ${element.closest('button, summary').getAttribute('aria-label')}`);
        }
        if (element.matches('button[aria-pressed=true], button[aria-selected=true], button[aria-checked=true]') && !element.closest('.track-head')) {
            controls += 1;
            const found = ratio(ground(element), ground(element.parentElement));
            if (found < 3) wrong.push(`pressed ${found.toFixed(2)} ${named(element)}`);
        }
    }
    return { wrong: [...new Set(wrong)], texts, controls };
}"""
"""WCAG's contrast of every visible text (4.5), of fields' frames, signs and pressed buttons (3)."""
CANVAS = """([texts, controls]) => {
    const style = getComputedStyle(document.documentElement);
    const light = (name) => {
        const hex = style.getPropertyValue(`--${name}`).trim().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
        const [r, g, b] = [1, 3, 5].map((n) => parseInt(hex.slice(n, n + 2), 16) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (pair) => {
        const [a, b] = pair.split(' on ').map(light).sort((p, q) => q - p);
        return (a + 0.05) / (b + 0.05);
    };
    const wrong = [];
    for (const [pairs, least] of [[texts, 4.5], [controls, 3]])
        for (const pair of pairs) if (!(ratio(pair) >= least)) wrong.push(`${pair}: ${ratio(pair).toFixed(2)}`);
    return wrong;
}"""
"""The same of what is drawn on the timeline and the stage, which no element tells: by the theme's colours."""
DRAWN_TEXTS = [
    *(f"ink on {ground}" for ground in ("cell", "cell-head", "cell-head-2", "cell-key", "clip")),
    "soft on lane",
    "on-strong on strong",
]
DRAWN_CONTROLS = [
    *(f"{mark} on lane" for mark in ("cell-edge", "strong", "sound", "clip-edge", "curve", "curve-ink", "handle")),
    *(f"{mark} on cell" for mark in ("cell-edge", "strong", "pin")),
    *(f"{mark} on stage" for mark in ("before", "after", "handle", "focus")),
]

OVERFLOW = """() => {
    const wrong = [];
    for (const selector of ['html', 'body', '#studio', '#studio > header', 'main', 'aside', '.timeline', '.transport', '.board', '.track-head', '.field', '.presets', 'aside .row', 'aside .chips'])
        for (const element of document.querySelectorAll(selector)) {
            if (!element.checkVisibility()) continue;
            const over = element.scrollWidth - element.clientWidth;
            if (over > 1) wrong.push(`${selector} ${element.id} is ${over} pixels too wide`);
        }
    const inside = (element) => {
        for (let one = element.parentElement; one; one = one.parentElement) if (one.matches('nav, .strip, aside, .board, .xsheet')) return true;
        return false;
    };
    for (const element of document.querySelectorAll('button, select, input, output, summary')) {
        if (!element.checkVisibility() || inside(element)) continue;
        const box = element.getBoundingClientRect();
        if (box.width && (box.right > innerWidth + 1 || box.left < -1 || box.bottom > innerHeight + 1)) wrong.push(`${element.id || element.getAttribute('aria-label')} is off the page`);
    }
    for (const element of document.querySelectorAll('button')) {
        if (!element.checkVisibility() || element.matches('.reset, .chains button')) continue;
        if (element.scrollWidth > element.clientWidth + 1) wrong.push(`the words of ${element.textContent} do not fit`);
    }
    return [...new Set(wrong)];
}"""

NAMELESS = """() => [...document.querySelectorAll('button, select, input, summary, [tabindex="0"], [role=slider], [role=scrollbar], canvas[role]')]
    .filter((one) => one.checkVisibility())
    .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length || one.title))
    .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture
def ready(page: Page) -> Page:
    wait_for_answer(page)
    page.locator(".stage canvas").focus()
    return page


def settled(page: Page, part: str) -> None:
    """The part's panel is there and has answered."""
    page.locator(f"#tab-{part}").click()
    page.locator(f"#panel-{part}").wait_for()
    if part not in ("puppet",):
        page.locator(f"#panel-{part} .numbers dd, #panel-{part} .notes li").first.wait_for(state="attached")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_and_controls_stand_out_from_their_ground(
    studio: Studio, chromium: Browser, faults: Faults, theme: Any
) -> None:
    page = new_page(chromium, faults, color_scheme=theme)
    visit(page, studio.address)
    assert page.get_attribute("html", "data-theme") == theme
    assert page.evaluate(CANVAS, [DRAWN_TEXTS, DRAWN_CONTROLS]) == []
    for part in PARTS:
        settled(page, part)
        for summary in page.locator("aside summary:visible").all():
            summary.click()
        if part == "puppet":
            # What is done of its three steps is read too.
            page.locator("#puppet-drop").click()
            page.locator("#puppet-keys li").wait_for()
        found = page.evaluate(CONTRAST)
        assert found["texts"] > 20
        assert found["controls"] > 10
        assert found["wrong"] == [], part
    for key, dialog in (("Control+o", "#open-dialog"), ("Control+e", "#export-dialog"), ("?", ".help")):
        page.locator(".stage canvas").focus()
        page.keyboard.press(key)
        page.locator(f"{dialog}[open]").wait_for()
        assert page.evaluate(CONTRAST)["wrong"] == [], dialog
        page.keyboard.press("Escape")
    page.close()


@pytest.mark.parametrize("language", ["en-US", "ja-JP"])
def test_nothing_overflows_at_any_size_in_either_theme(
    studio: Studio, chromium: Browser, faults: Faults, language: str
) -> None:
    page = new_page(chromium, faults, language)
    visit(page, studio.address)
    for part in PARTS:
        settled(page, part)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                assert page.evaluate(OVERFLOW) == [], (part, theme, width)
    # The transport at its fullest: a range that is played, a range that is selected, and a sheet edited by hand.
    page.locator("#tab-limited").click()
    page.set_viewport_size({"width": 1024, "height": 640})
    page.locator(".stage canvas").focus()
    for key in ("ArrowRight", "ArrowRight", "[", "End", "ArrowLeft", "]", "Home", "+", "Control+a"):
        page.keyboard.press(key)
    page.locator("#shot-range").wait_for()
    page.locator(".transport .reset").wait_for()
    page.locator("#selected").wait_for()
    assert page.evaluate(OVERFLOW) == [], "the transport at its fullest"
    page.close()


def test_every_control_has_a_name_and_the_keyboard_reaches_it(ready: Page) -> None:
    """Tab goes round the whole page: every control that can be seen and used is met, and its focus is seen."""
    for part in PARTS:
        settled(ready, part)
        assert ready.evaluate(NAMELESS) == [], part
        ready.evaluate(
            """() => {
                window.wanted = [...document.querySelectorAll('button, select, input, summary, [tabindex="0"]')]
                    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.closest('.live .box') && one.tabIndex >= 0);
                window.met = new Set();
                document.activeElement?.blur();
            }"""
        )
        count = ready.evaluate("window.wanted.length")
        assert count > 30
        unseen = []
        for _ in range(count + 25):
            ready.keyboard.press("Tab")
            told = ready.evaluate(
                """() => {
                    const one = document.activeElement;
                    window.met.add(one);
                    const { outlineStyle, outlineWidth } = getComputedStyle(one);
                    return one === document.body || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || one.matches('input[type=radio]') ? '' : one.outerHTML.slice(0, 100);
                }"""
            )
            if told:
                unseen.append(told)
        missed = ready.evaluate(
            "() => window.wanted.filter((one) => one.isConnected && !window.met.has(one) && !one.matches('input[type=radio]')).map((one) => one.outerHTML.slice(0, 120))"
        )
        assert missed == [], part
        assert unseen == [], part


@pytest.fixture
def touched(studio: Studio, chromium: Browser, faults: Faults) -> Iterator[Page]:
    """A page that is touched, not clicked."""
    page = new_page(chromium, faults, has_touch=True)
    visit(page, studio.address)
    wait_for_answer(page)
    yield page
    page.close()


def drag(page: Page, kind: str, path: list[tuple[float, float]]) -> None:
    """A finger or a pen goes along `path`, by the browser's own input events."""
    session = page.context.new_cdp_session(page)
    if kind == "touch":
        x, y = path[0]
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for x, y in path[1:]:
            session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        return
    event = {"button": "left", "clickCount": 1, "pointerType": "pen", "force": 0.5}
    session.send("Input.dispatchMouseEvent", {**event, "type": "mousePressed", "x": path[0][0], "y": path[0][1]})
    for x, y in path[1:]:
        session.send("Input.dispatchMouseEvent", {**event, "type": "mouseMoved", "x": x, "y": y, "buttons": 1})
    session.send("Input.dispatchMouseEvent", {**event, "type": "mouseReleased", "x": path[-1][0], "y": path[-1][1]})


@pytest.mark.parametrize("kind", ["touch", "pen"])
def test_fingers_and_pens_scrub_turn_and_lengthen_a_drawing(touched: Page, kind: str) -> None:
    source = default_sheet()
    box = touched.locator(".tracks").bounding_box()
    assert box
    scale = box["width"] / len(source)

    def at(place: float, height: float) -> tuple[float, float]:
        return box["x"] + place * scale, box["y"] + height

    drag(touched, kind, [at(10.5, 9), at(40.5, 9), at(60.5, 9)])
    touched.wait_for_function("() => document.querySelector('.tracks').getAttribute('aria-valuenow') === '61'")
    stage = touched.locator(".stage canvas").bounding_box()
    assert stage
    before = touched.evaluate("() => window.probe.joints('result', [0, 5])")
    middle = (stage["x"] + 0.75 * stage["width"], stage["y"] + 0.6 * stage["height"])
    drag(touched, kind, [middle, (middle[0] + 60, middle[1]), (middle[0] + 160, middle[1] + 20)])
    touched.wait_for_function(
        "before => JSON.stringify(window.probe.joints('result', [0, 5])) !== JSON.stringify(before)", arg=before
    )
    edge = next(n for n in range(1, len(source) - 3) if source[n] != source[n - 1] and source[n] == source[n + 2])
    drag(touched, kind, [at(edge, SHEET), at(edge + 1, SHEET), at(edge + 2, SHEET)])
    touched.get_by_text("Reset the sheet").wait_for()
    touched.get_by_role("button", name="Undo").tap()
    touched.get_by_text("Reset the sheet").wait_for(state="detached")
    assert frame(touched) == 61


def test_two_fingers_come_nearer(touched: Page) -> None:
    stage = touched.locator(".stage canvas").bounding_box()
    assert stage
    x, y = stage["x"] + 0.75 * stage["width"], stage["y"] + 0.5 * stage["height"]
    span = (
        "() => { const [a, b] = window.probe.joints('result', [0, 5]); return Math.hypot(a[0] - b[0], a[1] - b[1]); }"
    )
    before = touched.evaluate(span)
    session = touched.context.new_cdp_session(touched)
    for kind, apart in (("touchStart", 40), ("touchMove", 70), ("touchMove", 120)):
        points = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    touched.wait_for_function(f"before => ({span})() > 1.2 * before", arg=before)


def test_presets_stand_first_and_auto_is_a_switch(ready: Page) -> None:
    from playwright.sync_api import expect

    panel = ready.locator("#panel-limited")
    names = panel.locator(".presets button").all_inner_texts()
    assert names == ["Standard", "TV", "Film", "On twos", "Snappy pitch"]
    slider = panel.get_by_label("longest hold").first
    assert (slider.get_attribute("min"), slider.get_attribute("max")) == ("1", "6")
    ready.get_by_role("button", name="Snappy pitch").click()
    expect(slider).to_have_value("4")
    expect(ready.get_by_role("button", name="Snappy pitch")).to_have_attribute("aria-pressed", "true")
    expect(ready.get_by_role("button", name="Standard")).to_have_attribute("aria-pressed", "false")
    auto = ready.get_by_role("switch", name="Auto: omit in-betweens")
    expect(auto).to_have_attribute("aria-checked", "true")
    panel.get_by_label("omit in-betweens", exact=True).first.focus()
    ready.keyboard.press("ArrowRight")
    expect(auto).to_have_attribute("aria-checked", "false")
    auto.click()
    expect(auto).to_have_attribute("aria-checked", "true")
    ready.get_by_role("button", name="Standard").click()
    until(ready, f"/ {len(default_sheet())} ")
    expect(slider).to_have_value("3")


def test_new_notes_appear_over_the_stage_and_fade(ready: Page) -> None:
    notes = ready.locator("#panel-limited .notes-fold")
    assert not notes.locator("li").first.is_visible()
    ready.get_by_role("button", name="Film", exact=True).click()
    said = ready.locator(".said-on-stage li")
    said.first.wait_for()
    said.first.wait_for(state="detached")
    notes.locator("summary").click()
    assert notes.locator("li").first.is_visible()


def test_what_was_said_of_one_method_is_gone_in_the_next(ready: Page) -> None:
    ready.get_by_role("button", name="Film", exact=True).click()
    ready.locator(".said-on-stage li").first.wait_for()
    ready.click("#tab-puppet")
    ready.locator("#panel-puppet").wait_for()
    assert ready.locator(".said-on-stage li").count() == 0


def test_a_page_in_japanese_is_in_japanese(studio: Studio, chromium: Browser, faults: Faults, tmp_path: Path) -> None:
    page = new_page(chromium, faults, "ja-JP")
    visit(page, studio.address)
    wait_for_answer(page)
    assert page.get_attribute("html", "lang") == "ja"
    assert page.get_by_role("switch", name="自動").count() >= 2
    page.close()
