"""`roce-lint fix`: propose fixes and verify them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint._version import __version__
from roce_lint.cli import output
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.run_options import (
    RunOptions,
    checking_options,
    fabric_options,
    prefixes,
    show_progress,
)
from roce_lint.errors import UsageError

if TYPE_CHECKING:
    from roce_lint.engine.finding import Diagnostic
    from roce_lint.fix.offers import Answer, Offer
    from roce_lint.fix.prove import State
    from roce_lint.pipeline import Request, Run


@click.command("fix", cls=Command)
@click.argument("path", default=".")
@option("diff", "mode", flag_value="diff")
@option("write", "mode", flag_value="write")
@option("output", "folder", help="Write into a new folder, with a plan.")
@options("backup", "disruptive", checking_options)
@fabric_options
@click.pass_context
def command(ctx: click.Context, /, path: str, **given: Any) -> None:
    """Propose fixes for findings below PATH (default: .; "-" is standard input), and verify them.

    Each fix was checked with the whole fabric: its findings are gone, there are no new ones, and
    nothing else changes. Exit status: that of a check of the corrected configurations.
    """
    from roce_lint.fix import render  # noqa: PLC0415
    from roce_lint.pipeline import Request  # noqa: PLC0415
    from roce_lint.pipeline.runner import Criteria  # noqa: PLC0415

    mode, folder = given.pop("mode") or "diff", given.pop("folder")
    backup, disruptive = given.pop("backup"), given.pop("disruptive")
    fail_on = given.pop("fail_on")
    select, ignore = (prefixes(f"--{name}", given.pop(name)) for name in ("select", "ignore"))
    if folder is not None and mode == "write":
        raise UsageError("-o and --write exclude each other")
    if backup is not None and mode != "write":
        raise UsageError("--backup needs --write")
    for name, target in (("-o", folder), ("--backup", backup)):
        if target is not None:
            require_new(name, Path(target), path)
    if path == "-" and (folder is not None or mode == "write"):
        raise UsageError("-o and --write need files; of standard input the diff is printed")
    chosen = Request(
        select=select, ignore=ignore, device=given.pop("device"), role=given.pop("role")
    )
    run_options = RunOptions(paths=(path,), device=(), role=(), **given)
    run = run_options.prepare(Criteria(fail_on=fail_on))
    answer = show_progress(lambda: find_fixes(run, chosen))
    offers = render.choose_offers(answer, disruptive=disruptive)
    if folder is not None:
        _write_folder(Path(folder), path, answer, offers)
    elif mode == "write":
        _write_in_place(path, answer, offers, Path(backup) if backup is not None else None)
    else:
        output.write("".join(render.as_diff(answer, offers)))
    _print_summary(answer, offers, run.weakening(answer.before.report))
    ctx.exit(run.status(answer.at(offers).report))


def find_fixes(run: Run, chosen: Request) -> Answer:
    """Verified fixes for the findings of chosen rules and devices.

    Raises:
        UsageError: nothing was checked.
    """
    from roce_lint.fix.offers import search  # noqa: PLC0415
    from roce_lint.fix.prove import Proof  # noqa: PLC0415
    from roce_lint.remedy.wants import Wants, golden_of  # noqa: PLC0415

    proof = Proof(run.terms())
    state = proof.as_it_is()
    golden = golden_of(run.request.intent)

    def wants(state: State) -> Wants:
        if state.report.analysis is None:
            raise UsageError(f"{' '.join(run.request.paths)}: nothing was checked")
        pages = state.report.rules.values()
        return Wants(state.report.analysis, pages, golden).mark(state.report.findings)

    return search(proof, state, wants, state.select(chosen))


def require_new(option: str, folder: Path, path: str) -> None:
    """Refuse an output folder that is not empty, or inside the checked folder.

    Raises:
        UsageError: the folder is one of these.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{option} {folder}: is not empty; nothing is overwritten")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"{option} {folder}: no such folder: {folder.parent}")
    real, checked = folder.resolve(), Path(path).resolve()
    if checked == real or checked in real.parents:
        raise UsageError(f"{option} {folder}: is inside the folder that is checked")


def _write_folder(folder: Path, path: str, answer: Answer, offers: list[Offer]) -> None:
    """Write beside the target and move into place."""
    from roce_lint.fix import render  # noqa: PLC0415
    from roce_lint.text.folders import Folder  # noqa: PLC0415

    steps = render.waves(answer, offers)
    texts = render.texts_of(answer, offers)
    commands = render.commands_of(answer, offers)
    bare = render.without_commands(answer, offers, commands)
    with Folder(folder) as made:
        for name, text in texts.items():
            made.write(f"configs/{name}", text)
        for name, text in commands.items():
            made.write(name, text)
        made.write("plan.md", "".join(render.as_plan(answer, offers, steps)))
        made.write("plan.json", render.as_data(answer, offers, steps))
        made.write("README.md", render.as_readme(path, bare))
        made.move({"version": __version__})


def _write_in_place(tree: str, answer: Answer, offers: list[Offer], backup: Path | None) -> None:
    from roce_lint.fix import render  # noqa: PLC0415
    from roce_lint.text.files import write_file  # noqa: PLC0415
    from roce_lint.text.source import digest  # noqa: PLC0415

    for name, text in render.texts_of(answer, offers).items():
        ref = answer.files[name].ref
        path = Path(ref.path or "")
        data = path.read_bytes()
        if digest(data) != ref.sha256:
            raise UsageError("changed since it was read; not written", location=name)
        if backup is not None:
            kept = backup / (path.relative_to(tree) if path != Path(tree) else path.name)
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_file(kept, data)
        write_file(path, text.encode("utf-8"))


def _print_summary(answer: Answer, offers: list[Offer], milder: list[Diagnostic]) -> None:
    from roce_lint.fix import render  # noqa: PLC0415
    from roce_lint.report.wording import one_line  # noqa: PLC0415
    from roce_lint.text.numbers import count  # noqa: PLC0415

    held = len(answer.offers) - len(offers)
    lines = [one_line(f"{item.file}: {item.kind}: {item.message}") for item in milder]
    fixes = count(len(offers), "fix", "fixes")
    lines += [f"{fixes} verified, {len(answer.manual)} need manual work"]
    lines += [render.verdict(answer, offers)] if offers else []
    if held:
        lines.append(f"{held} more verified, but may disrupt traffic: --disruptive")
    for case in answer.manual:
        subjects = " ".join(case.occurrence.subjects[:2])
        place = f"{case.finding.rule} {case.occurrence.device} {subjects}"
        lines.append(f"  {place}: {render.reason_of(case)}")
    output.write("".join(f"{line}\n" for line in lines), err=True)
