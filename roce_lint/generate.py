"""Golden configurations of an intent, rendered device by device into a separate folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from roce_lint._version import __version__
from roce_lint.design.golden import Design
from roce_lint.design.layout import Layout
from roce_lint.errors import RenderError, UsageError
from roce_lint.loading.workers import LINUX, Work, chunks, processors, spread
from roce_lint.model.change import rollout_rank
from roce_lint.nos.base import WHOLE, RenderedFiles, RenderRequest
from roce_lint.nos.printer import how_to_apply, render
from roce_lint.nos.registry import all_nos
from roce_lint.phases import advance
from roce_lint.pipeline.request import matches
from roce_lint.text.folders import NO_CONFIGURATION, Folder
from roce_lint.text.names import did_you_mean, first_names

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


def choose_devices(layout: Layout, names: Sequence[str], roles: Sequence[str]) -> list[str]:
    """Names of the selected devices in rollout order.

    Raises:
        UsageError: no device has the name, or the role.
    """
    for glob in names:
        if not any(matches(name, (glob,)) for name in layout.names):
            hint = did_you_mean(glob, layout.names)
            raise UsageError(f"--device {glob}: no device matches", hint=hint)
    planned = {name: layout.role(name) for name in layout.names if matches(name, names)}
    found = [name for name, role in planned.items() if not roles or role.value in roles]
    if not found:
        raise UsageError("no device of the design matches --device and --role")
    return sorted(found, key=lambda name: rollout_rank(planned[name]))


def require_systems(templates: Path) -> None:
    """Require the folders of a site's templates to have names of systems.

    Raises:
        UsageError: one has another name, so that its templates would replace nothing.
    """
    for entry in sorted(templates.iterdir()):
        if entry.is_dir() and entry.name not in all_nos():
            hint = did_you_mean(entry.name, all_nos())
            raise UsageError(
                f"--templates {templates}: no system is called {entry.name}", hint=hint
            )


class PrintOptions(NamedTuple):
    """Part of the configuration to print, the folder with templates of the site, and whether
    commands are written too.
    """

    part: str = WHOLE
    templates: Path | None = None
    commands: bool = False


def render_all(
    design: Design, names: Sequence[str], options: PrintOptions, folder: Folder
) -> GeneratedFiles:
    """Write the files of each device below the folder.

    Raises:
        UsageError: a template of the site fails.
        WriteError: a file cannot be written.
    """
    made = GeneratedFiles()
    printed = zip(names, _print(design, names, options), strict=True)
    for number, (host, rendered) in enumerate(printed):
        advance("printing", number, len(names))
        if isinstance(rendered, RenderError):
            if options.templates is not None:
                raise UsageError(str(rendered))
            made.refused.setdefault(str(rendered), []).append(host)
            continue
        for name, text in rendered.files.items():
            folder.write(f"{CONFIGS}/{name}", text)
            made.written.setdefault(host, []).append(f"{CONFIGS}/{name}")
        if rendered.commands and options.commands:
            name = f"{COMMANDS}/{host}.txt"
            folder.write(name, f"{NO_CONFIGURATION}\n{rendered.commands}")
            made.written.setdefault(host, []).append(name)
        for reason in rendered.left:
            made.left.setdefault(reason, []).append(host)
    return made


Printed = RenderedFiles | RenderError

PARALLEL_FROM, AT_ONCE = 64, 16
"""Devices below which one process is as fast as several, and devices per worker at a time."""

_designs: dict[int, Design] = {}
"""Designs for workers, which inherit them by their fork, by id."""


def _print(design: Design, names: Sequence[str], options: PrintOptions) -> Iterator[Printed]:
    """The files of each device, or the reason why there are none."""
    number = id(design)
    each = partial(_print_some, number=number, header=tuple(header_of(design)), options=options)
    _designs[number] = design
    try:
        if not LINUX or len(names) < PARALLEL_FROM or processors() < 2:
            yield from each(list(names))
            return
        some = list(chunks(names, lambda _: 1, AT_ONCE))
        yield from spread(some, Work(each, _lost), processors(), lambda _: None)
    finally:
        _designs.pop(number, None)


def _lost(name: str) -> Printed:
    return RenderError(f"printing of {name} ended its process")


def _print_some(
    names: list[str], *, number: int, header: tuple[str, ...], options: PrintOptions
) -> list[Printed]:
    """The files of some devices, each of which is designed here."""
    found: list[Printed] = []
    for name in names:
        device = _designs[number].device(name)
        asked = RenderRequest(device, options.part, header, options.templates)
        try:
            found.append(render(all_nos()[device.nos], asked))
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
    design: Design, names: Sequence[str], made: GeneratedFiles, options: PrintOptions
) -> str:
    """README of the folder: rollout order, instructions per system, and omissions."""
    groups: dict[str, list[str]] = {}
    systems: dict[str, list[str]] = {}
    for name in names:
        planned = design.layout.device(name)
        if planned is not None and name in made.written:
            title = f"{planned.role.value}, {all_nos()[planned.nos].title}"
            groups.setdefault(title, []).append(name)
            systems.setdefault(planned.nos, []).append(name)
    lines = [f"# {design.intent.schema.name or design.intent.path.name}", ""]
    lines += [*(f"{line}." for line in header_of(design)), ""]
    lines += ["`configs/` has one file or folder per device. Roll them out in this order, and"]
    lines += ["verify each group before the next:", ""]
    for number, (title, some) in enumerate(groups.items(), start=1):
        lines.append(f"{number}. {title}: {', '.join(some)}")
    lines += [
        "",
        "`links.yaml` has all cables of the design; `roce-lint check .` checks the folder.",
    ]
    for nos, some in systems.items():
        lines += ["", f"## {all_nos()[nos].title}: {first_names(some, SHOWN)}", ""]
        lines += how_to_apply(all_nos()[nos], options.part).splitlines()
    for title, reasons in (("Not rendered", made.refused), ("Left out", made.left)):
        if reasons:
            lines += ["", f"## {title}", ""]
            lines += [f"- {reason}: {', '.join(some)}" for reason, some in reasons.items()]
    return "\n".join(lines) + "\n"


SHOWN = 4
"""Number of devices that a heading lists."""
