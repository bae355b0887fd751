"""Processor time of a whole run over texts of growing size, as ratios."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import roce_lint
from tests.scaling.texts import SIZES, Files

TIMES = 4
"""Size ratio of the two texts."""

FLOOR = 0.025
"""Seconds below the resolution of the clock and the machine."""

LIMIT = 7.5
"""Of the times for a text that is four times as long: n log n gives 5, a square 16."""


def seconds(files: Files) -> float:
    """Processor time of one run, without what every run takes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        begin = time.process_time()
        request = roce_lint.Request(paths=(folder,), jobs=1, cache=False)
        report = roce_lint.run(request, roce_lint.Settings())
        assert report.devices, "nothing was read"
        assert not any(f.rule in ("SRC900", "SRC901") for f in report.findings)
        roce_lint.render("json", report, roce_lint.Options(cwd=folder))
        return time.process_time() - begin


def ratio(make: Callable[[int], Files]) -> tuple[float, float, float]:
    """Of a text and one four times as long: both times, less that of the smallest, and how many
    times as long the longer takes.
    """
    size = SIZES[make]
    seconds(make(2))  # what is made once
    least = min(seconds(make(2)) for _ in range(3))
    short = max(min(seconds(make(size)) for _ in range(2)) - least, FLOOR)
    long = max(seconds(make(size * TIMES)) - least, FLOOR)
    return short, long, long / short
