"""roce-lint finds faults in RoCE fabrics; this is its public Python interface (docs/api.md).

    import roce_lint

    fabric = roce_lint.load("configs")
    for finding in fabric.check().findings:
        print(finding.rule, finding.device, finding.message)
    fabric.port("leaf1", "Ethernet1/1").treatment(dscp=26).ingress.lossless

Names are imported when they are first used, so that `import roce_lint` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from roce_lint._version import __version__

if TYPE_CHECKING:
    from roce_lint.api.fabric import LoadedFabric, Port, Trace, load
    from roce_lint.api.tables import TABLES
    from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, Severity, UnknownGroup
    from roce_lint.engine.waivers import waive
    from roce_lint.errors import RoceLintError
    from roce_lint.pipeline import Report, Request, run
    from roce_lint.report import Options, render
    from roce_lint.settings import Settings
    from roce_lint.settings import find as find_settings
    from roce_lint.settings import load as load_settings
    from roce_lint.text.source import Location

_HOMES = {
    "Diagnostic": ("roce_lint.engine.finding", "Diagnostic"),
    "Finding": ("roce_lint.engine.finding", "Finding"),
    "LoadedFabric": ("roce_lint.api.fabric", "LoadedFabric"),
    "Location": ("roce_lint.text.source", "Location"),
    "Occurrence": ("roce_lint.engine.finding", "Occurrence"),
    "Options": ("roce_lint.report", "Options"),
    "Port": ("roce_lint.api.fabric", "Port"),
    "Report": ("roce_lint.pipeline", "Report"),
    "Request": ("roce_lint.pipeline", "Request"),
    "RoceLintError": ("roce_lint.errors", "RoceLintError"),
    "Settings": ("roce_lint.settings", "Settings"),
    "Severity": ("roce_lint.engine.finding", "Severity"),
    "TABLES": ("roce_lint.api.tables", "TABLES"),
    "Trace": ("roce_lint.api.fabric", "Trace"),
    "UnknownGroup": ("roce_lint.engine.finding", "UnknownGroup"),
    "find_settings": ("roce_lint.settings", "find"),
    "load": ("roce_lint.api.fabric", "load"),
    "load_settings": ("roce_lint.settings", "load"),
    "render": ("roce_lint.report", "render"),
    "run": ("roce_lint.pipeline", "run"),
    "waive": ("roce_lint.engine.waivers", "waive"),
}

__all__ = [
    "TABLES",
    "Diagnostic",
    "Finding",
    "LoadedFabric",
    "Location",
    "Occurrence",
    "Options",
    "Port",
    "Report",
    "Request",
    "RoceLintError",
    "Settings",
    "Severity",
    "Trace",
    "UnknownGroup",
    "__version__",
    "find_settings",
    "load",
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
