"""A headless Chromium, controlled over a pipe by its own protocol: only the browser has to be
installed, and no port is opened.
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--force-color-profile=srgb", "--font-render-hinting=none",
)  # fmt: skip

LAUNCHER = """
import os, sys
for place, given in enumerate(sys.argv[1:3], 200):
    os.dup2(int(given), place)
os.dup2(200, 3)
os.dup2(201, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Puts the ends of our pipes where the browser looks for them: it reads from 3 and writes to 4."""

PATIENCE = 60.0
"""Seconds after which an unresponsive browser is given up."""


class Browser:
    """One browser with one page."""

    def __init__(self, program: str, profile: Path) -> None:
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        words = [program, *QUIET, f"--user-data-dir={profile}", "--remote-debugging-pipe"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, str(commands), str(answers), *words],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._buffer = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []
        try:
            self._begin()
        except (TimeoutError, RuntimeError, OSError):
            self.close()
            raise

    def _begin(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call_page(f"{domain}.enable")

    def close(self) -> None:
        """End the browser."""
        os.close(self._write)
        os.close(self._read)
        self._process.terminate()
        self._process.wait(PATIENCE)

    # ---------------------------------------------------------------------------- the protocol

    def call(self, method: str, **params: Any) -> Any:
        """A command to the browser itself."""
        return self._call({"method": method, "params": params})

    def call_page(self, method: str, **params: Any) -> Any:
        """A command to the page."""
        return self._call({"method": method, "params": params, "sessionId": self._session})

    def _call(self, message: dict[str, Any]) -> Any:
        self._last += 1
        os.write(self._write, json.dumps({"id": self._last, **message}).encode() + b"\0")
        answer = self._until(lambda each: each.get("id") == self._last)
        if "error" in answer:
            raise RuntimeError(f"{message['method']}: {answer['error']}")
        return answer["result"]

    def _until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while True:
            while b"\0" not in self._buffer:
                ready, _, _ = select.select([self._read], [], [], max(end - time.monotonic(), 0))
                data = os.read(self._read, 1 << 16) if ready else b""
                if not data:
                    raise TimeoutError("the browser does not answer")
                self._buffer += data
            raw, _, self._buffer = self._buffer.partition(b"\0")
            message = json.loads(raw)
            if wanted(message):
                return message
            self.events.append(message)

    # -------------------------------------------------------------------------------- the page

    def open(self, url: str) -> None:
        """Load a page completely."""
        self.events.clear()
        self.call_page("Page.navigate", url=url)
        loaded = "Page.loadEventFired"
        if not any(event.get("method") == loaded for event in self.events):
            self.events.append(self._until(lambda each: each.get("method") == loaded))

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call_page(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Click on the first element of a selector."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call_page(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
            )
        self.run("new Promise(done => setTimeout(done, 60))")  # `toggle` comes after the click

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        named = {"Space": " "}.get(key, key)
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call_page("Input.dispatchKeyEvent", type=kind, key=named, code=key, **more)
        self.run("new Promise(done => setTimeout(done, 60))")

    def size(self, width: int, height: int) -> None:
        """Size of the window."""
        self.call_page(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def looks(self, *, dark: bool = False, printed: bool = False) -> None:
        """Set the color scheme and the medium of the page."""
        self.call_page(
            "Emulation.setEmulatedMedia",
            media="print" if printed else "",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )

    def picture(self, *, whole: bool = False) -> bytes:
        """A screenshot as PNG; `whole`: the page from top to end."""
        shot = self.call_page("Page.captureScreenshot", captureBeyondViewport=whole, format="png")
        return base64.b64decode(shot["data"])

    def paper(self) -> bytes:
        """The page as PDF, A4."""
        shot = self.call_page("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)
        return base64.b64decode(shot["data"])

    def requests(self) -> list[str]:
        """Addresses requested since the page was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def refused(self) -> list[str]:
        """Reasons for requests that were not sent."""
        return [
            event["params"]["blockedReason"]
            for event in self.events
            if event.get("method") == "Network.loadingFailed" and "blockedReason" in event["params"]
        ]

    def complaints(self) -> list[str]:
        """Errors of the page: policy violations and exceptions."""
        message = [
            event["params"]["entry"]["text"]
            for event in self.events
            if event.get("method") == "Log.entryAdded"
        ]
        return message + [
            event["params"]["exceptionDetails"]["text"]
            for event in self.events
            if event.get("method") == "Runtime.exceptionThrown"
        ]
