"""Output folder: configurations, cables, the plan, and the commands for spines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roce_lint.model.fabric import Endpoint, Link, LinkSource
from roce_lint.new_leaf.make import NewLeaves, Spine
from roce_lint.nos.base import FileEdit
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline.inputs import CABLE_PLANS
from roce_lint.pipeline.report import Report
from roce_lint.remedy.commands import text_commands
from roce_lint.report.design import cables
from roce_lint.text.folders import NO_CONFIGURATION, Folder
from roce_lint.text.numbers import count

# The folder.

CONFIGS = "configs"


def plan_of(report: Report, made: NewLeaves) -> str:
    """The cables of the fabric and the new ones, without assumed links."""
    fabric = report.fabric
    links = [link for link in fabric.links if not link.assumed] if fabric is not None else []
    new = [
        Link(
            Endpoint(link.near.device, link.near.interface),
            Endpoint(link.far.device, link.far.interface),
            LinkSource.PLAN,
            cable_m=link.like.cable_m,
            speed_gbps=link.like.speed_gbps,
            rail=link.like.rail,
        )
        for link in made.choices.links
    ]
    lines = list(cables(links))
    for link, entry in zip(made.choices.links, cables(new), strict=True):
        line = entry
        for end, key in ((link.near, link.a), (link.far, link.b)):
            line = line.replace(f'"{end.key[0]}:{end.key[1]}"', f'"{key[0]}:{key[1]}"', 1)
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def write(target: Path, root: Path, made: NewLeaves, plan: str, version: str) -> None:
    """Write the folder and move it into place.

    Raises:
        WriteError: it cannot be written.
    """
    with Folder(target) as folder:
        for name, text in made.files().items():
            folder.write(f"{CONFIGS}/{name}", text)
        folder.write("links.yaml", plan)
        for spine in made.spines:
            for name, text in commands_of(spine).items():
                folder.write(name, f"{NO_CONFIGURATION}\n{text}")
        folder.write("plan.md", "".join(f"{line}\n" for line in _plan(made)))
        folder.write("README.md", "".join(f"{line}\n" for line in _readme(root, made)))
        folder.move({"version": version, "new": [wish.name for wish in made.wishes]})


def commands_of(spine: Spine) -> dict[str, str]:
    """The change of a spine as commands and their rollback, where its system has declared them."""
    before, after = spine.text.text, spine.after
    nos, name = all_nos()[spine.device.nos], spine.device.hostname.replace("/", "_")
    edits = {"commands": FileEdit(before, after), "rollback": FileEdit(after, before)}
    made = {f"{folder}/{name}.txt": text_commands(nos, edit) for folder, edit in edits.items()}
    return {file: lines for file, lines in made.items() if lines}


def remarks(made: NewLeaves) -> Iterator[str]:
    """The choices with their patterns, and the lines a person has to review."""
    yield from made.choices.reasons
    for each in made.copies:
        for line, text in each.taken_out:
            yield f"{each.like}:{line}: removed, specific to one device: {text}"
        for line, text in each.kept:
            yield f"{each.like}:{line}: no other leaf has this line, review it: {text}"
    yield from (f"{line} (names a sister, unchanged)" for line in made.elsewhere)
    names = ", ".join(wish.name for wish in made.wishes)
    yield f"{names}: {count(len(made.copies), 'file')} written, {len(made.spines)} changed"


def _plan(made: NewLeaves) -> Iterator[str]:
    names = ", ".join(wish.name for wish in made.wishes)
    spines = ", ".join(sorted({each.device.hostname for each in made.spines}))
    yield f"# {names}"
    yield ""
    yield f"1. Prepare the spines: {spines}. The new ports stay down until cabled."
    yield f"2. Load {names}."
    yield "3. Connect the cables:"
    for link in made.choices.links:
        yield f"   - {link.a[0]} {link.a[1]} to {link.b[0]} {link.b[1]}"
    yield "4. Copy the files over the folder of the fabric and run `roce-lint check` on it."
    yield ""
    yield "## Choices"
    yield ""
    yield from (f"- {line}" for line in made.choices.reasons)
    kept = [f"{each.like}:{line}: {text}" for each in made.copies for line, text in each.kept]
    taken = [f"{each.like}:{line}: {text}" for each in made.copies for line, text in each.taken_out]
    for title, entries in (
        ("Lines that only the sister has: review each", kept),
        ("Removed: specific to one device", taken),
        ("Unchanged lines of other devices that name a sister", made.elsewhere),
    ):
        if entries:
            yield ""
            yield f"## {title}"
            yield ""
            yield from (f"- {entry}" for entry in entries)


def _readme(root: Path, made: NewLeaves) -> Iterator[str]:
    names = ", ".join(wish.name for wish in made.wishes)
    likes = ", ".join(wish.like for wish in made.wishes)
    yield f"# {names}, like {likes}"
    yield ""
    yield "`configs/` contains the new files and those of the changed spines, each at its path"
    yield f"below {root.resolve().name}. `links.yaml` lists all cables, `plan.md` the order and the"
    yield "reason of each choice."
    yield ""
    for each in made.copies:
        yield f"- `configs/{each.name}`: a complete file like `{each.like}`; load it as it is"
    for spine in made.spines:
        title, name = all_nos()[spine.device.nos].title, spine.device.hostname
        typed = [f"type `{file}`" for file in commands_of(spine) if file.startswith("commands")]
        files = [] if spine.text.head else [f"load `configs/{spine.text.name}`"]
        yield f"- {name} ({title}): {' or '.join([*typed, *files])}"
    if any(wish.like not in made.choices.renamed or len(made.choices.renamed) > len(made.wishes)
           for wish in made.wishes):  # fmt: skip
        yield "- host files are predictions, not measurements: collect them again"
    if made.spines:
        yield "- commands were not tested on a device: review them before use"
    if any((root / name).exists() for name in CABLE_PLANS):
        yield ""
        yield "The folder has a cable plan: add the new links to it."
