"""A browser that is killed with signal 9 in the middle of a drag, while the studio behind it continues."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from browser import SOFTWARE_GL, Studio, chromium_path
from wire import heard, live

EDIT_MS = 20
"""Between two edits of the drag."""
DRAG = """
(async () => {
  const wait = ms => new Promise(done => setTimeout(done, ms));
  while (!document.querySelector('#field-hair-seed')) {
    document.querySelector('#tab-hair')?.click();
    await wait(50);
  }
  const slider = document.querySelector('#field-hair-seed');
  const number = slider.nextElementSibling;
  let n = Number(number.value) || 0;
  for (;;) {
    number.value = String(++n);
    number.dispatchEvent(new Event('input', { bubbles: true }));
    number.dispatchEvent(new Event('change', { bubbles: true }));
    document.title = String(n);
    await wait(EDIT_MS);
  }
})()
""".replace("EDIT_MS", str(EDIT_MS))


class Chromium:
    """A browser of its own that can be killed; it is asked over its debugging port, so that nothing else belongs to it."""

    def __init__(self, address: str) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="komadori-kill-", ignore_cleanup_errors=True)
        own = ["--remote-debugging-port=0", f"--user-data-dir={self.folder.name}", "--window-size=1000,600"]
        self.process = subprocess.Popen(
            [str(chromium_path()), "--headless=new", *SOFTWARE_GL, *own, address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        told = Path(self.folder.name) / "DevToolsActivePort"
        self._until(lambda: told.is_file() and told.read_text().count("\n") > 0)
        self._port = int(told.read_text().splitlines()[0])
        self._until(lambda: bool(self._pages()))
        self._lines = contextlib.ExitStack()
        address = self._pages()[0]["webSocketDebuggerUrl"]
        self._line = self._lines.enter_context(connect(address, proxy=None, max_size=None))
        self._asked = 0

    def run(self, script: str) -> Any:
        """What a script in the page gives."""
        self._asked += 1
        params = {"expression": script, "returnByValue": True}
        self._line.send(json.dumps({"id": self._asked, "method": "Runtime.evaluate", "params": params}))
        while (answer := json.loads(self._line.recv(timeout=60))).get("id") != self._asked:
            pass
        # While the page is on its way there is nothing that could answer.
        return answer.get("result", {}).get("result", {}).get("value")

    def wait(self, script: str) -> None:
        """Waits until a script gives something true."""
        self._until(lambda: bool(self.run(script)))

    def kill(self) -> None:
        """All of it at once, as a power cut does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._lines.close()
        self.folder.cleanup()

    def _pages(self) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/json", timeout=30) as answer:
            return [page for page in json.loads(answer.read()) if page["type"] == "page"]

    @staticmethod
    def _until(test: Callable[[], bool]) -> None:
        for _ in range(1200):
            if test():
                return
            time.sleep(0.1)
        raise TimeoutError("the browser does not answer")


def dragged_and_killed(studio: Studio, chance: random.Random) -> tuple[int, int]:
    """A page edits until its browser is killed: the last edit that it sent, and the one that the studio has."""
    browser = Chromium(studio.address)
    try:
        browser.wait("Boolean(document.querySelector('#tab-hair') && document.querySelector('.saved[data-now=saved]'))")
        browser.run(f"void {DRAG}")
        browser.wait("Number(document.title) > 0")
        time.sleep(chance.uniform(0.0, 1.5))
        sent = int(browser.run("document.title"))
    finally:
        browser.kill()
    with live(studio) as line:
        told = heard(line, "scene")["scene"]["hair"]["options"].get("seed", 0)
        line.send('{"type": "save"}')
        heard(line, "saved")
    return sent, told
