"""Golden configurations of an intent, rendered device by device into a separate folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from roce_lint._version import __version__
from roce_lint.design.golden import Design
from roce_lint.errors import RenderError, UsageError
from roce_lint.model.change import rollout_rank
from roce_lint.model.device import Device
from roce_lint.nos.base import WHOLE, RenderRequest
from roce_lint.nos.registry import all_nos
from roce_lint.nos.render import render
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


def render_all(
    design: Design, devices: Sequence[Device], part: str, folder: Folder, *, commands: bool = False
) -> GeneratedFiles:
    """Write the files of each device below the folder; its commands too if requested.

    Raises:
        WriteError: a file cannot be written.
    """
    made, known = GeneratedFiles(), all_nos()
    header = tuple(header_of(design))
    for device in devices:
        try:
            rendered = render(known[device.nos], RenderRequest(device, part, header))
        except RenderError as error:
            made.refused.setdefault(str(error), []).append(device.hostname)
            continue
        for name, text in rendered.files.items():
            folder.write(f"{CONFIGS}/{name}", text)
            made.written.setdefault(device.hostname, []).append(f"{CONFIGS}/{name}")
        if rendered.commands and commands:
            name = f"{COMMANDS}/{device.hostname}.txt"
            folder.write(name, f"{NO_CONFIGURATION}\n{rendered.commands}")
            made.written.setdefault(device.hostname, []).append(name)
        for reason in rendered.left:
            made.left.setdefault(reason, []).append(device.hostname)
    return made


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


def readme_of(design: Design, devices: Sequence[Device], made: GeneratedFiles, part: str) -> str:
    """README of the folder: use of the files, rollout order, and omissions."""
    name = design.intent.schema.name or design.intent.path.name
    what = "whole configurations" if part == WHOLE else "RoCE settings only"
    lines = [f"# {name}", "", *(f"{line}." for line in header_of(design)), ""]
    lines += [
        f"`configs/` holds {what}, one file or folder per device. Roll them out in this order,"
    ]
    lines += ["and verify each group before the next:", ""]
    for number, (title, names) in enumerate(_groups(devices, made), start=1):
        lines.append(f"{number}. {title}: {', '.join(names)}")
    lines += [
        "",
        "`links.yaml` has all cables of the design; `roce-lint check .` checks the folder.",
    ]
    for title, reasons in (("Not rendered", made.refused), ("Left out", made.left)):
        if reasons:
            lines += ["", f"## {title}", ""]
            lines += [f"- {reason}: {', '.join(names)}" for reason, names in reasons.items()]
    return "\n".join(lines) + "\n"


def _groups(devices: Sequence[Device], made: GeneratedFiles) -> Iterator[tuple[str, list[str]]]:
    known = all_nos()
    groups: dict[tuple[str, str], list[str]] = {}
    for device in devices:
        if device.hostname in made.written:
            role = device.role.value if device.role is not None else "device"
            groups.setdefault((role, device.nos), []).append(device.hostname)
    for (role, nos), names in groups.items():
        yield f"{role}, {known[nos].title} (docs/nos/{nos}.md)", names
