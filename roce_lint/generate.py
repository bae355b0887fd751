"""Golden configurations of an intent, rendered device by device into a separate folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from roce_lint._version import __version__
from roce_lint.design.golden import Design
from roce_lint.errors import RenderError, UsageError
from roce_lint.loading.workers import LINUX, Work, chunks, processors, spread
from roce_lint.model.change import rollout_rank
from roce_lint.model.device import Device
from roce_lint.nos.base import WHOLE, RenderedFiles, RenderRequest
from roce_lint.nos.printer import how_to_apply, render
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline.request import is_asked_for
from roce_lint.text.folders import NO_CONFIGURATION, Folder
from roce_lint.text.names import did_you_mean

CONFIGS, COMMANDS = "configs", "commands"


@dataclass(slots=True)
class GeneratedFiles:
    """Written files, and reasons for missing ones with their devices."""

    written: dict[str, list[str]] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)
    left: dict[str, list[str]] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every requirement of every device is in a file."""
        return not self.refused and not self.left


def choose_devices(design: Design, names: Sequence[str], roles: Sequence[str]) -> list[Device]:
    """The selected devices in rollout order.

    Raises:
        UsageError: no device has the name, or the role.
    """
    devices = design.fabric.devices
    for name in names:
        if not any(is_asked_for(device, (name,), ()) for device in devices.values()):
            hint = did_you_mean(name, devices)
            raise UsageError(f"--device {name}: no device matches", hint=hint)
    found = [device for device in devices.values() if is_asked_for(device, names, roles)]
    if not found:
        raise UsageError("no device of the design matches --device and --role")
    return sorted(found, key=lambda device: rollout_rank(device.role))


class PrintOptions(NamedTuple):
    """Part of the configuration to print, the folder with templates of the site, and whether
    commands are written too.
    """

    part: str = WHOLE
    templates: Path | None = None
    commands: bool = False


def render_all(
    design: Design, devices: Sequence[Device], options: PrintOptions, folder: Folder
) -> GeneratedFiles:
    """Write the files of each device below the folder.

    Raises:
        UsageError: a template of the site fails.
        WriteError: a file cannot be written.
    """
    made = GeneratedFiles()
    for device, rendered in zip(devices, _print(design, devices, options), strict=True):
        if isinstance(rendered, RenderError):
            if options.templates is not None:
                raise UsageError(str(rendered))
            made.refused.setdefault(str(rendered), []).append(device.hostname)
            continue
        for name, text in rendered.files.items():
            folder.write(f"{CONFIGS}/{name}", text)
            made.written.setdefault(device.hostname, []).append(f"{CONFIGS}/{name}")
        if rendered.commands and options.commands:
            name = f"{COMMANDS}/{device.hostname}.txt"
            folder.write(name, f"{NO_CONFIGURATION}\n{rendered.commands}")
            made.written.setdefault(device.hostname, []).append(name)
        for reason in rendered.left:
            made.left.setdefault(reason, []).append(device.hostname)
    return made


Printed = RenderedFiles | RenderError

PARALLEL_FROM, AT_ONCE = 64, 16
"""Devices below which one process is as fast as several, and devices per worker at a time."""

_devices: dict[str, Device] = {}
"""Devices for the workers, which inherit them by their fork."""


def _print(design: Design, devices: Sequence[Device], options: PrintOptions) -> Iterator[Printed]:
    """The files of each device, or the reason why there are none."""
    each = partial(_print_some, header=tuple(header_of(design)), options=options)
    names = [device.hostname for device in devices]
    _devices.update(zip(names, devices, strict=True))
    try:
        if not LINUX or len(names) < PARALLEL_FROM or processors() < 2:
            yield from each(names)
            return
        lost = lambda name: RenderError(f"printing of {name} ended its process")  # noqa: E731
        some = list(chunks(names, lambda _: 1, AT_ONCE))
        yield from spread(some, Work(each, lost), processors(), lambda _: None)
    finally:
        _devices.clear()


def _print_some(
    names: Sequence[str], *, header: tuple[str, ...], options: PrintOptions
) -> list[Printed]:
    known = all_nos()
    found: list[Printed] = []
    for name in names:
        device = _devices[name]
        asked = RenderRequest(device, options.part, header, options.templates)
        try:
            found.append(render(known[device.nos], asked))
        except RenderError as error:
            found.append(error)
    return found


def header_of(design: Design) -> Iterator[str]:
    """Comment at the head of a file: version and intent."""
    yield f"made by roce-lint {__version__} generate"
    yield f"intent {design.intent.path.name}, sha256 {design.intent.file.sha256}"


def manifest_of(design: Design, made: GeneratedFiles, part: str) -> dict[str, object]:
    """Manifest entries besides the hashes of files."""
    return {
        "version": __version__,
        "intent": design.intent.path.name,
        "intent_sha256": design.intent.file.sha256,
        "part": part,
        "left": made.left,
        "not_rendered": made.refused,
    }


def readme_of(
    design: Design, devices: Sequence[Device], made: GeneratedFiles, options: PrintOptions
) -> str:
    """README of the folder: rollout order, how the files are applied, and omissions."""
    groups: dict[str, list[str]] = {}
    systems: dict[str, list[str]] = {}
    for device in devices:
        if device.hostname in made.written:
            role = device.role.value if device.role is not None else "device"
            groups.setdefault(f"{role}, {all_nos()[device.nos].title}", []).append(device.hostname)
            systems.setdefault(device.nos, []).append(device.hostname)
    lines = [f"# {design.intent.schema.name or design.intent.path.name}", ""]
    lines += [*(f"{line}." for line in header_of(design)), ""]
    lines += ["`configs/` has one file or folder per device. Roll them out in this order, and"]
    lines += ["verify each group before the next:", ""]
    for number, (title, names) in enumerate(groups.items(), start=1):
        lines.append(f"{number}. {title}: {', '.join(names)}")
    lines += [
        "",
        "`links.yaml` has all cables of the design; `roce-lint check .` checks the folder.",
    ]
    for nos, names in systems.items():
        lines += ["", f"## {all_nos()[nos].title}: {_some(names)}", ""]
        lines += how_to_apply(all_nos()[nos], options.part).splitlines()
    for title, reasons in (("Not rendered", made.refused), ("Left out", made.left)):
        if reasons:
            lines += ["", f"## {title}", ""]
            lines += [f"- {reason}: {', '.join(names)}" for reason, names in reasons.items()]
    return "\n".join(lines) + "\n"


SHOWN = 4
"""Number of devices that a heading lists."""


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if names[SHOWN:] else "")
