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

_NAMES = {
    "roce_lint.api.fabric": ("LoadedFabric", "Port", "Trace", "load"),
    "roce_lint.api.tables": ("TABLES",),
    "roce_lint.engine.finding": (
        "Diagnostic", "Finding", "Occurrence", "Severity", "UnknownGroup",
    ),
    "roce_lint.engine.waivers": ("waive",),
    "roce_lint.errors": ("RoceLintError",),
    "roce_lint.pipeline": ("Report", "Request", "run"),
    "roce_lint.report": ("Options", "render"),
    "roce_lint.settings": ("Settings", "find_settings", "load_settings"),
    "roce_lint.text.source": ("Location",),
}  # fmt: skip
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

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
    module = importlib.import_module(_HOMES[name])
    # `find_settings` and `load_settings` are plain `find` and `load` at home
    value = globals()[name] = getattr(module, name.removesuffix("_settings"))
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
