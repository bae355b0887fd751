"""roce-lint finds faults in RoCE fabrics; this is its public Python interface.

    from pathlib import Path
    import roce_lint

    report = roce_lint.run(roce_lint.Request(paths=("configs",)), roce_lint.Settings())
    print(roce_lint.render("text", report, roce_lint.Options(cwd=str(Path.cwd()))))

Names are imported when they are first used, so that `import roce_lint` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from roce_lint._version import __version__

if TYPE_CHECKING:
    from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, Severity, UnknownGroup
    from roce_lint.engine.waivers import waive
    from roce_lint.errors import RoceLintError
    from roce_lint.pipeline import Report, Request, run
    from roce_lint.report import Options, render
    from roce_lint.settings import Settings, find, load
    from roce_lint.text.source import Location

    find_settings, load_settings = find, load

_HOMES = {
    "Diagnostic": ("roce_lint.engine.finding", "Diagnostic"),
    "Finding": ("roce_lint.engine.finding", "Finding"),
    "Location": ("roce_lint.text.source", "Location"),
    "Occurrence": ("roce_lint.engine.finding", "Occurrence"),
    "Options": ("roce_lint.report", "Options"),
    "Report": ("roce_lint.pipeline", "Report"),
    "Request": ("roce_lint.pipeline", "Request"),
    "RoceLintError": ("roce_lint.errors", "RoceLintError"),
    "Settings": ("roce_lint.settings", "Settings"),
    "Severity": ("roce_lint.engine.finding", "Severity"),
    "UnknownGroup": ("roce_lint.engine.finding", "UnknownGroup"),
    "find_settings": ("roce_lint.settings", "find"),
    "load_settings": ("roce_lint.settings", "load"),
    "render": ("roce_lint.report", "render"),
    "run": ("roce_lint.pipeline", "run"),
    "waive": ("roce_lint.engine.waivers", "waive"),
}

__all__ = [
    "Diagnostic",
    "Finding",
    "Location",
    "Occurrence",
    "Options",
    "Report",
    "Request",
    "RoceLintError",
    "Settings",
    "Severity",
    "UnknownGroup",
    "__version__",
    "find_settings",
    "load_settings",
    "render",
    "run",
    "waive",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = globals()[name] = getattr(importlib.import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
