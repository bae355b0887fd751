"""`roce-lint fix`: corrected configurations, proved before they are offered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint._version import __version__
from roce_lint.cli import candidates, output
from roce_lint.cli.exit_status import LEVELS, Demands, status
from roce_lint.cli.run_options import RunOptions, fabric_options, prefixes
from roce_lint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roce_lint.engine.finding import Diagnostic, Finding
    from roce_lint.fix.offers import Answer, Offer


@click.command("fix")
@click.argument("path")
@click.option("--diff", "mode", flag_value="diff", help="Print what would be changed (default).")
@click.option("--write", "mode", flag_value="write", help="Change the files in place.")
@click.option("-o", "--output", "folder", metavar="DIR", help="Corrected files and the plan.")
@click.option(
    "--backup", metavar="DIR", help="With --write: keep the files as they were in this folder."
)
@click.option(
    "--disruptive", is_flag=True, help="Also what may disturb traffic, or is not known not to."
)
@click.option(
    "--select", multiple=True, metavar="RULES",
    help="Only findings of rules whose id starts with RULES.",
    shell_complete=candidates.rules,
)  # fmt: skip
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULES",
    help="No findings of rules whose id starts with RULES.",
)
@click.option(
    "--fail-on", type=click.Choice(LEVELS), help="Lowest severity that fails  [default: error]"
)
@fabric_options
@click.pass_context
def command(ctx: click.Context, /, path: str, **given: Any) -> None:
    """Put findings right in the configurations below PATH, and prove it.

    What is offered was read and judged again with the whole fabric: the findings are gone, nothing
    new came, and no more is changed than what is told. Exit status: that of a check of the
    corrected configurations.
    """
    from roce_lint.fix import render  # noqa: PLC0415

    mode, folder = given.pop("mode") or "diff", given.pop("folder")
    backup, disruptive = given.pop("backup"), given.pop("disruptive")
    fail_on = given.pop("fail_on")
    select, ignore = (prefixes(f"--{name}", given.pop(name)) for name in ("select", "ignore"))
    if folder is not None and mode == "write":
        raise UsageError("-o and --write: the files are changed in one place only")
    if backup is not None and mode != "write":
        raise UsageError("--backup belongs to --write")
    for name, wanted in (("-o", folder), ("--backup", backup)):
        if wanted is not None:
            require_new(name, Path(wanted), path)
    answer, settings, milder = _answer(path, given, select, ignore, fail_on)
    offers = render.choose_offers(answer, disruptive=disruptive)
    if folder is not None:
        _write_folder(Path(folder), path, answer, offers)
    elif mode == "write":
        _write_in_place(path, answer, offers, Path(backup) if backup is not None else None)
    else:
        output.write("".join(render.as_diff(answer, offers)))
    _tell(answer, offers, milder)
    ctx.exit(
        status(answer.at(offers).report, Demands(fail_on=fail_on or settings.fail_on or "error"))
    )


def _answer(
    path: str,
    given: dict[str, Any],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
) -> tuple[Answer, Any, list[Diagnostic]]:
    """What is offered, only findings on devices and of rules that were asked for; the settings, and
    what of the judged tree makes the answer milder.
    """
    from roce_lint.fix.offers import search  # noqa: PLC0415
    from roce_lint.fix.prove import Proof  # noqa: PLC0415
    from roce_lint.pipeline import is_asked_for  # noqa: PLC0415
    from roce_lint.pipeline.acceptance import AcceptanceRun  # noqa: PLC0415
    from roce_lint.pipeline.judging import Terms  # noqa: PLC0415
    from roce_lint.report.weakening import find_weakening  # noqa: PLC0415

    if path == "-" or not Path(path).exists():
        raise UsageError(f"no such file or folder: {path}")
    names, roles = given.pop("device"), given.pop("role")
    asked = RunOptions(paths=(path,), device=(), role=(), **given)
    settings = asked.settings()
    request = asked.request(settings)
    proof = Proof(path, Terms.of(request, settings, AcceptanceRun(settings, None, None)))
    state = proof.as_it_is()
    wanted_devices = {
        name for name, device in state.devices.items() if is_asked_for(device, names, roles)
    }

    def is_wanted(finding: Finding) -> bool:
        return (not select or finding.rule.startswith(select)) and not (
            ignore and finding.rule.startswith(ignore)
        )

    wanted = [
        finding.restrict(kept)
        for finding in state.report.findings
        if is_wanted(finding)
        and (kept := [each for each in finding.occurrences if each.device in wanted_devices])
    ]
    milder = find_weakening(asked, settings, state.report, fail_on, None)
    return search(proof, state, wanted), settings, milder


def require_new(option: str, folder: Path, path: str) -> None:
    """Refuse a folder that holds something, or that lies in what is checked.

    Raises:
        UsageError: it does.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{option} {folder}: is not empty; nothing is overwritten")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"{option} {folder}: there is no folder {folder.parent}")
    real, checked = folder.resolve(), Path(path).resolve()
    if checked == real or checked in real.parents:
        raise UsageError(f"{option} {folder}: is inside the folder that is checked")


def _write_folder(folder: Path, path: str, answer: Answer, offers: list[Offer]) -> None:
    """Written beside and moved into place."""
    from roce_lint.fix import render  # noqa: PLC0415
    from roce_lint.fix.commands import commands_of, without_commands  # noqa: PLC0415
    from roce_lint.fix.waves import waves  # noqa: PLC0415
    from roce_lint.text.folders import Folder  # noqa: PLC0415

    steps = waves(answer, offers)
    texts = render.texts_of(answer, offers)
    commands = commands_of(answer, texts)
    with Folder(folder) as made:
        for name, text in texts.items():
            made.write(f"configs/{name}", text)
        for name, text in commands.items():
            made.write(name, text)
        made.write("plan.md", "".join(render.as_plan(answer, offers, steps)))
        made.write("plan.json", render.as_data(answer, offers, steps))
        made.write("README.md", render.as_readme(path, without_commands(answer, texts, commands)))
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
            raise UsageError("has changed since it was read; it is not written", location=name)
        if backup is not None:
            kept = backup / (path.relative_to(tree) if path != Path(tree) else path.name)
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_file(kept, data)
        write_file(path, text.encode("utf-8"))


def _tell(answer: Answer, offers: list[Offer], milder: list[Diagnostic]) -> None:
    """What was done and what is left, on standard error."""
    from roce_lint.report.wording import one_line  # noqa: PLC0415

    held = len(answer.offers) - len(offers)
    lines = [one_line(f"{item.file}: {item.kind}: {item.message}") for item in milder]
    lines += [f"{len(offers)} offered and proved, {len(answer.manual)} left to a person"]
    if held:
        lines.append(
            f"{held} more proved, but may disturb traffic or are not known not to: --disruptive"
        )
    lines += _rest(answer)
    output.write("".join(f"{line}\n" for line in lines), err=True)


def _rest(answer: Answer) -> Iterable[str]:
    for case in answer.manual:
        subjects = " ".join(case.occurrence.subjects[:2])
        yield f"  {case.finding.rule} {case.occurrence.device} {subjects}: {case.reason}"
