"""Live in a real browser: a performer on the stage with a meter, and levers that play the puppet."""

from __future__ import annotations

import json
import socket
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from browser import PATIENCE_MS, Studio, drawn, settle, visit, wait_for_body
from live_packets import message, vmc

if TYPE_CHECKING:
    from playwright.sync_api import Page


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


PAD = """() => {
  window.pad = { index: 0, connected: true, axes: [0, 0, 0, 0], buttons: [{ value: 0, pressed: false }] };
  window.wiggling = false;
  // As a hand moves a stick to and fro: it is elsewhere at every look, however seldom a busy page looks.
  navigator.getGamepads = () => {
    if (window.wiggling) window.pad.axes = [0, 0.9 - window.pad.axes[1], 0, 0];
    return [window.pad];
  };
  window.midi = { onmidimessage: null };
  navigator.requestMIDIAccess = async () => ({ inputs: new Map([["one", window.midi]]), onstatechange: null });
}"""
"""A gamepad and a MIDI controller as the browser offers them: this machine has none."""


def handle(page: Page) -> list[float]:
    return [float(page.input_value(f"#puppet-handle-{axis}")) for axis in "xyz"]


def controls(studio: Studio) -> list[dict[str, Any]]:
    """The levers as they are on disk; they are saved as they are learned."""
    file = studio.project / "scene.json"
    found: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["puppet"].get("controls", [])
    return found


def reach(studio: Studio, axis: str) -> dict[str, float]:
    """How far a lever takes the handle along an axis."""
    return next({"low": one["low"], "high": one["high"]} for one in controls(studio) if one["target"] == axis)


def test_a_performer_is_seen_on_the_stage_and_the_meter_tells(studio: Studio, empty_page: Page) -> None:
    page, port = empty_page, free_port()
    visit(page, f"{studio.address}#live=vmc:{port}&look_ahead=1")
    page.wait_for_selector("#live-start:has-text('Stop')")
    joints = "() => JSON.stringify(window.probe.joints('result', [5, 10, 15, 20]))"
    still = page.evaluate(joints)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        began = time.monotonic()
        moved = False
        while not moved or page.locator(".live .meter b").first.text_content() == "0":
            assert time.monotonic() - began < 60.0
            now = time.monotonic() - began
            sender.sendto(vmc(now), ("127.0.0.1", port))
            sender.sendto(b"nonsense", ("127.0.0.1", port))
            moved |= page.evaluate(joints) != still
    page.wait_for_function("() => Number(document.querySelectorAll('.live .meter b')[2].textContent) > 0")
    page.wait_for_selector("#live-line:has-text('malformed')")
    page.wait_for_selector(".live .level.silent")
    page.click("#live-start")
    page.wait_for_selector("#live-start:has-text('Start')")


def test_the_open_motion_is_played_live_and_recorded(page: Page) -> None:
    page.click("#live-open")
    page.select_option("#live-source", "file")
    page.click("#live-start")
    page.wait_for_selector("#live-record:not([disabled])")
    page.click("#live-record")
    page.wait_for_function(
        "() => Number((document.querySelector('#live-record').textContent.match(/\\d+/) ?? [0])[0]) > 8"
    )
    page.click("#live-record")
    page.wait_for_function(
        "() => [...document.querySelectorAll('option, li')].some((one) => one.textContent.includes('take'))"
    )
    page.click("#live-start")
    page.wait_for_selector("#live-start:has-text('Start')")


def test_two_levers_learned_in_one_breath_are_both_kept(studio: Studio, empty_page: Page) -> None:
    """The second is learned before the studio has answered the first."""
    page = empty_page
    page.add_init_script(f"({PAD})()")
    visit(page, studio.address)
    page.click("#tab-puppet")
    page.evaluate("() => { document.querySelector('#puppet-levers').open = true; }")
    page.click("[data-lever=x] button >> nth=0")
    page.wait_for_function("() => window.midi.onmidimessage")
    page.evaluate(
        """() => {
            const turn = (dial) => [0, 127].forEach((value) => window.midi.onmidimessage({ data: new Uint8Array([0xb0, dial, value]) }));
            turn(21);
            document.querySelector('[data-lever=y] button').click();
            turn(22);
        }"""
    )
    page.wait_for_selector("[data-lever=y] code:has-text('midi:0:22')")
    settle(page)
    page.wait_for_selector(".saved[data-now=saved]")
    assert {(one["target"], one["control"]) for one in controls(studio)} == {("x", "midi:0:21"), ("y", "midi:0:22")}


def test_gamepad_midi_and_osc_move_the_handle_and_are_kept_with_the_puppet(studio: Studio, empty_page: Page) -> None:
    page = empty_page
    page.add_init_script(f"({PAD})()")
    visit(page, studio.address)
    page.click("#tab-puppet")
    page.wait_for_selector("#puppet-levers")
    page.evaluate("() => { for (const one of document.querySelectorAll('details.sliders')) one.open = true; }")
    port = free_port()

    def learn(target: str) -> None:
        page.click(f"[data-lever={target}] button >> nth=0")
        page.wait_for_selector(f"[data-lever={target}] [aria-pressed=true]")

    def learned(target: str, control: str) -> None:
        page.wait_for_selector(f"[data-lever={target}] code:has-text('{control}')", state="attached")

    learn("x")
    page.evaluate("window.wiggling = true")
    learned("x", "gamepad:axis:0:1")
    page.evaluate("() => { window.wiggling = false; window.pad.axes = [0, 0.9, 0, 0]; }")
    settle(page)
    learn("y")
    page.wait_for_function("() => window.midi.onmidimessage")
    for value in (0, 40, 90, 127):
        page.evaluate("value => window.midi.onmidimessage({ data: new Uint8Array([0xb0, 21, value]) })", value)
    learned("y", "midi:0:21")
    page.fill("#osc-port", str(port))
    page.dispatch_event("#osc-port", "change")
    settle(page)
    learn("z")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        began, n = time.monotonic(), 0
        while "osc:/fader/3:0" not in (page.text_content("[data-lever=z] code") or ""):
            assert time.monotonic() - began < PATIENCE_MS / 1000
            n += 1
            sender.sendto(message("/fader/3", 0.1 if n % 2 else 0.9), ("127.0.0.1", port))
            drawn(page)
        settle(page)
        page.wait_for_selector(".saved[data-now=saved]")
        # Each lever takes the handle to one end of its reach, then to the other.
        for stick, dial, fader, ends in ((1, 127, 1.0, "high"), (-1, 0, 0.0, "low")):
            page.evaluate("stick => { window.pad.axes = [0, stick, 0, 0]; }", stick)
            for value in (64, dial):
                page.evaluate("value => window.midi.onmidimessage({ data: new Uint8Array([0xb0, 21, value]) })", value)
            wanted = [reach(studio, axis)[ends] for axis in "xyz"]
            began = time.monotonic()
            while np.abs(np.subtract(handle(page), wanted)).max() > 0.02:
                assert time.monotonic() - began < PATIENCE_MS / 1000, (handle(page), wanted)
                # A datagram may be lost: the last one counts. The other fader says that it is another message.
                sender.sendto(message("/fader/3", 0.5), ("127.0.0.1", port))
                sender.sendto(message("/fader/3", fader), ("127.0.0.1", port))
                drawn(page)
    kept = controls(studio)
    assert {(one["target"], one["control"]) for one in kept} == {
        ("x", "gamepad:axis:0:1"), ("y", "midi:0:21"), ("z", "osc:/fader/3:0"),
    }  # fmt: skip
    page.reload()
    wait_for_body(page)
    page.click("#tab-puppet")
    learned("x", "gamepad:axis:0:1")
