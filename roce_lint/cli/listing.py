"""What a run would go by: the files it reads (--show-files) and its settings (--show-settings)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.cli import output
from roce_lint.cli.exit_status import CLEAN, INCOMPLETE

if TYPE_CHECKING:
    from roce_lint.cli.run_options import RunOptions


_WRITTEN = {"fail_on": "fail-on", "help_url": "help-url", "waivers": "waiver"}
"""Settings whose names in the file are no names of Python."""


def files(asked: RunOptions) -> int:
    """Print every file with the device it describes, or why it is skipped; the exit status."""
    from roce_lint.report.places import Places  # noqa: PLC0415
    from roce_lint.report.wording import one_line  # noqa: PLC0415

    report = asked.run(asked.settings(), progress=sys.stderr.isatty())
    places = Places(report.base, str(Path.cwd()))
    told = [
        (name, f"{device.name} ({device.nos})")
        for device in report.devices
        for name in device.files
    ]
    told += [(each.file, f"skipped: {each.reason}") for each in report.skipped]
    told += [(d.file, f"{d.kind}: {d.message}") for d in report.diagnostics if d.incomplete]
    for name, said in sorted(told):
        output.write(f"{one_line(places.name(name))}: {one_line(said)}\n")
    return INCOMPLETE if report.incomplete else CLEAN


def settings(asked: RunOptions) -> None:
    """Print where the settings come from (standard error) and what they are, as JSON.

    Options of the command line that go before a setting stand in its place.
    """
    from roce_lint.cli.run_options import prefixes  # noqa: PLC0415

    found = asked.settings()
    where = found.path if found.path is not None else "no roce-lint.toml: what holds without one"
    output.write(f"roce-lint: settings: {where}\n", err=True)
    data = {_WRITTEN.get(k, k): v for k, v in found.model_dump(mode="json").items()}
    given = {
        "select": prefixes("--select", asked.select),
        "ignore": prefixes("--ignore", asked.ignore),
        "profile": asked.profile,
    }
    data |= {name: value for name, value in given.items() if value}
    data["fail-on"] = data["fail-on"] or "error"
    output.write_json(data)
