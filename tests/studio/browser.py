"""A real studio in a separate process, and a real browser that looks at it, for tests."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from komadori.studio.server import PAGE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

WEB = PAGE.parent / "web"
SHOTS = Path(__file__).parents[2] / "out" / "screenshots"
"""Where the pictures of failed tests go."""
SIZE = (1280, 720)
SOFTWARE_GL = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--no-first-run",
]
PROBE = Path(__file__).parent / "probe.js"
"""Looks at the stage from outside: `window.probe`."""
ALL_PICTURES = bool(os.environ.get("KOMADORI_PICTURES"))
"""Whether the stage is drawn in every test, as a person has it; without a graphics card that takes three times as long."""
PATIENCE_MS = int(os.environ.get("KOMADORI_PATIENCE_MS", "60000"))
"""How long the page may take for one thing on a busy machine before the test fails."""


def chromium_path() -> str | None:
    """A Chromium or Chrome of this machine."""
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "chrome"))
    return next((path for path in found if path), None)


def why_not() -> str | None:
    """What is missing for tests in a browser, or None."""
    if chromium_path() is None:
        return "there is no browser (Debian: apt-get install chromium)"
    if importlib.util.find_spec("playwright") is None:
        return "there is no Playwright (make setup)"
    if not (PAGE / "index.html").is_file():
        return "the studio's page is not built (make page)"
    return None


def stale_sources() -> list[str]:
    """Sources that are newer than the built page: a test would look at something that is no more."""
    built = (PAGE / "index.html").stat().st_mtime
    sources = [*(WEB / "src").rglob("*.*"), WEB / "index.html", WEB / "package-lock.json"]
    return [str(path.relative_to(WEB)) for path in sources if path.stat().st_mtime > built]


class Studio:
    """`komadori studio` on a free port with `project`, in a process that can be killed.

    `program` is what Python runs in place of the package: a script that starts it with something more.
    """

    def __init__(self, project: Path, *files: Path, port: int = 0, program: Path | None = None) -> None:
        self.project = project
        run = ["-m", "komadori"] if program is None else [str(program)]
        command = [sys.executable, "-u", *run, "studio", "--no-browser", "--port", str(port)]
        data = str(project.parent / "data")
        self.process = subprocess.Popen(
            [*command, "--project", str(project), *map(str, files)],
            env={**os.environ, "XDG_DATA_HOME": data, "APPDATA": data, "HOME": data},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        self.said: list[str] = []
        """The lines that it printed before it was ready (or gave up)."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", line):
                self.address, self.port, self.token = found[0], int(found[1]), found[2]
                return
        self.close()
        raise RuntimeError("the studio did not open: " + "\n".join(self.said))

    def kill(self) -> None:
        """Ends it as `kill -9` or a power cut does."""
        self.process.kill()
        self.close()

    def close(self) -> str:
        """Ends it as Ctrl+C does (where it still runs); what it printed after it was ready."""
        if self.process.poll() is None:
            self.process.terminate()
        assert self.process.stdout is not None
        if self.process.stdout.closed:
            return ""
        rest = self.process.stdout.read()
        self.process.wait()
        self.process.stdout.close()
        return rest


Opener: TypeAlias = Callable[..., Studio]
"""Opens a studio as `Studio` does, and closes it with the test."""


@dataclass
class Faults:
    """Everything a page complained of; `expect` names what a test provokes on purpose."""

    found: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def expect(self, pattern: str) -> None:
        """Complaints that match `pattern` are not an error in this test."""
        self.expected.append(pattern)

    def hear(self, page: Page) -> None:
        """Listens to a page: console errors (a refusal by the content security policy is one) and uncaught exceptions."""

        def console(message: ConsoleMessage) -> None:
            if message.type == "error":
                self.found.append(f"console: {message.text} ({message.location.get('url', '')})")

        page.on("console", console)
        page.on("pageerror", lambda error: self.found.append(f"uncaught: {error}"))

    def unexpected(self) -> list[str]:
        """What was not expected."""
        return [fault for fault in self.found if not any(re.search(pattern, fault) for pattern in self.expected)]


def new_page(browser: Browser, faults: Faults, language: str = "en-US", *, pictures: bool = False, **more: Any) -> Page:
    """An empty page of 1280 x 720 whose complaints are heard.

    Its stage is drawn where `pictures` says so: in software that is most of what a test costs. `more` goes to the browser.
    """
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, locale=language, **more)
    page.set_default_timeout(PATIENCE_MS)
    if pictures or ALL_PICTURES:
        page.add_init_script("window.pictures = true")
    page.add_init_script(path=PROBE)
    faults.hear(page)
    return page


def visit(page: Page, address: str) -> None:
    """Opens the studio and waits until its first body is drawn."""
    page.goto(address)
    wait_for_body(page)


def wait_for_body(page: Page, name: str = "") -> None:
    """Waits until a body (one that is called `name`, where given) is on the stage and has been drawn."""
    wanted = f'[data-shown*="{name}"]' if name else "[data-shown]"
    page.wait_for_selector(f".stage{wanted}:not(.busy)")


def wait_for_answer(page: Page) -> None:
    """Waits until the part that is open has answered: the timeline has its sheet."""
    page.wait_for_selector(".numbers dd:visible")
    settle(page)


def settle(page: Page) -> None:
    """Waits until the page shows what was asked for last: every edit was heard and answered, and what the answers name was fetched."""
    page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")


def drawn(page: Page) -> None:
    """Waits for two pictures: whatever was to be drawn is."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def still(page: Page, seen: str, given: Any = None) -> None:
    """Waits until what a function of the page gives is the same in two looks, with pictures in between: nothing moves any more."""
    settle(page)
    page.wait_for_function(
        f"""async (given) => {{
            const seen = {seen};
            const look = () => JSON.stringify(seen(given));
            const before = look();
            for (let n = 0; n < 4; n++) await new Promise((done) => requestAnimationFrame(done));
            await new Promise((done) => setTimeout(done, 120));
            return before !== undefined && before === look();
        }}""",
        arg=given,
    )


def wait_for_spots(page: Page, name: str) -> None:
    """Waits until a thing of the stage is there, and all of them stand still: a hand that takes one finds it."""
    page.wait_for_function("name => window.probe.spots()[name]", arg=name)
    still(page, "() => window.probe.spots()")


def frame(page: Page) -> int:
    """The frame number that the timeline shows, from 1."""
    return int(page.get_attribute(".tracks", "aria-valuenow") or 0)


def spots(page: Page) -> dict[str, list[float]]:
    """Where on the page the things of the stage are, in pixels, by their names."""
    found: dict[str, list[float]] = page.evaluate("() => window.probe.spots()")
    return found


def wait_for_spot(page: Page, name: str, x: float, y: float) -> None:
    """Waits until a thing of the stage is drawn at that pixel: the last step of a drag is, once the engine has answered it."""
    page.wait_for_function(
        "([name, x, y]) => { const at = window.probe.spots()[name]; return at && Math.hypot(at[0] - x, at[1] - y) <= 3 }",
        arg=[name, x, y],
    )


def wait_for_partner(page: Page, name: str) -> None:
    """Waits until the body called `name` is driven on the stage."""
    page.wait_for_function("name => window.probe.has(`partner ${name}`)", arg=name)


def troubles(page: Page) -> list[str]:
    """The messages that stand over the page."""
    return [text.removesuffix("×") for text in page.locator(".troubles p").all_text_contents()]


def skip_without_browser() -> None:
    """Skips the test if no browser can be driven, and fails it where the built page is not the one of the sources."""
    if reason := why_not():
        pytest.skip(reason)
    if stale := stale_sources():
        pytest.fail(f"the built page is older than {stale[0]}: make page")
