"""What is put into the folder: configurations, cables, commands, and the plan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from roce_lint.model.fabric import Endpoint, Link, LinkSource
from roce_lint.new_leaf.commands import commands
from roce_lint.new_leaf.make import NewLeaves, Spine
from roce_lint.nos.edit import FileEdit
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline.inputs import CABLE_PLANS
from roce_lint.pipeline.report import Report
from roce_lint.report.design import cables
from roce_lint.text.folders import NO_CONFIGURATION, Folder
from roce_lint.text.numbers import count

CONFIGS = "configs"


def plan_of(report: Report, made: NewLeaves) -> str:
    """The cables of the fabric and the new ones; none that is only assumed."""
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
    """The change of a spine as commands and the way back, where its system has declared them."""
    before, after = spine.text.text, spine.after
    nos, name = all_nos()[spine.device.nos], spine.device.hostname.replace("/", "_")
    edits = {"commands": FileEdit(before, after), "rollback": FileEdit(after, before)}
    made = {f"{folder}/{name}.txt": commands(nos, edit) for folder, edit in edits.items()}
    return {file: lines for file, lines in made.items() if lines}


def remarks(made: NewLeaves) -> Iterator[str]:
    """The choices with their patterns, and what a person has to look at."""
    yield from made.choices.reasons
    for each in made.copies:
        for line, text in each.taken_out:
            yield f"{each.like}:{line}: taken out, of one device alone: {text}"
        for line, text in each.kept:
            yield f"{each.like}:{line}: no other leaf has this line, look at it: {text}"
    yield from (f"{line} (names a sister, and stays as it is)" for line in made.elsewhere)
    names = ", ".join(wish.name for wish in made.wishes)
    yield f"{names}: {count(len(made.copies), 'file')} written, {len(made.spines)} changed"


def _plan(made: NewLeaves) -> Iterator[str]:
    names = ", ".join(wish.name for wish in made.wishes)
    spines = ", ".join(sorted({each.device.hostname for each in made.spines}))
    yield f"# {names}"
    yield ""
    yield f"1. Prepare the spines: {spines}. The new ports have no link until the cables are there."
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
        ("Lines that only the sister has: look at each", kept),
        ("Taken out: of one device alone", taken),
        ("Lines of other devices that name a sister, and stay as they are", made.elsewhere),
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
    yield "`configs/` has the new files, and those of the spines with the new ports, each at its"
    yield f"path below {root.resolve().name}. `links.yaml` has all cables, `plan.md` the order and"
    yield "the reason of each choice."
    yield ""
    for each in made.copies:
        yield f"- `configs/{each.name}`: a whole file like `{each.like}`; load it as it is"
    for spine in made.spines:
        title, name = all_nos()[spine.device.nos].title, spine.device.hostname
        typed = [f"type `{file}`" for file in commands_of(spine) if file.startswith("commands")]
        files = [] if spine.text.head else [f"load `configs/{spine.text.name}`"]
        yield f"- {name} ({title}): {' or '.join([*typed, *files])}"
    if any(wish.like not in made.choices.renamed or len(made.choices.renamed) > len(made.wishes)
           for wish in made.wishes):  # fmt: skip
        yield "- files of hosts are what is expected, not what was measured: collect them anew"
    if made.spines:
        yield "- commands were not tried on a device: read them before you type them"
    if any((root / name).exists() for name in CABLE_PLANS):
        yield ""
        yield "The folder has a cable plan: put the new links into it."
