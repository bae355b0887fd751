"""`roce-lint new-leaf`: generate one more leaf from an existing one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint._version import __version__
from roce_lint.cli import output, run_options
from roce_lint.cli.fix import require_new
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.run_options import RunOptions, fabric_options
from roce_lint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roce_lint.engine.finding import Finding
    from roce_lint.fix.prove import State
    from roce_lint.new_leaf.choices import LeafRequest


@click.command("new-leaf", cls=Command)
@click.argument("path")
@option("name", required=True)
@option("like", required=True, shell_complete=run_options.devices)
@option("output", "target", required=True)
@options("ports", "asn", "loopback", "addresses", "accept-findings")
@option("hosts", type=click.IntRange(min=0))
@fabric_options
@click.pass_context
def command(ctx: click.Context, /, path: str, **given: Any) -> None:
    """Generate the configuration of one more leaf, and the changes on its spines.

    Copies the files of --like; name, addresses, AS number, ports and descriptions continue the
    pattern of the other leaves, and are printed with the reason. The result must pass a check of
    the whole fabric. Exit status: 0 written; 2 a value is unknown, taken or ambiguous.
    """
    from roce_lint.fix.prove import Proof  # noqa: PLC0415
    from roce_lint.new_leaf.make import make  # noqa: PLC0415
    from roce_lint.new_leaf.output import plan_of, remarks, write  # noqa: PLC0415
    from roce_lint.new_leaf.verification import prove  # noqa: PLC0415

    target = Path(given.pop("target"))
    requests = _requests(given)
    hosts, accepted = given.pop("hosts"), given.pop("accept_findings")
    if not Path(path).is_dir():
        raise UsageError(f"no such folder: {path}")
    require_new("-o", target, path)
    if given["device"] or given["role"]:
        raise UsageError("--device and --role: a new leaf is checked with the whole fabric")
    run_options = RunOptions(paths=(path,), **given)
    terms = run_options.prepare().terms()
    before = Proof(terms).as_it_is()
    fabric, excerpts = before.report.fabric, before.report.excerpts
    if fabric is None or excerpts is None or not fabric.devices:
        raise UsageError(f"{path}: no configuration was recognised")
    _require_sound(before, requests, accepted=accepted)
    made = make(fabric, excerpts, Path(path), requests, hosts or 0)
    plan = plan_of(before.report, made)
    new = prove(terms, Path(path), before, made, plan)
    if new and not accepted:
        shown = "; ".join(
            f"{rule} on {device} {subject}" for rule, _, device, subject, _ in new[:6]
        )
        raise UsageError(f"nothing is written: with the new leaf there would be {shown}")
    write(target, Path(path), made, plan, __version__)
    output.write("".join(f"{line}\n" for line in remarks(made)), err=True)
    ctx.exit(0)


def _requests(given: dict[str, Any]) -> list[LeafRequest]:
    from roce_lint.new_leaf.choices import LeafRequest  # noqa: PLC0415
    from roce_lint.text.numbers import whole_number  # noqa: PLC0415

    names, likes = (_list(given.pop(option)) for option in ("name", "like"))
    if len(names) != len(likes) or len(set(names)) != len(names) or len(set(likes)) != len(likes):
        raise UsageError("--name and --like need the same number of names, each once")
    for name in names:
        if re.fullmatch(r"[A-Za-z](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9])){0,62}", name) is None:
            raise UsageError(f"--name {name[:80]!a}: a letter, then at most 62 of A-Za-z0-9._-")
    ports: dict[str, list[str]] = {}
    for each in _list(given.pop("ports")):
        spine, colon, port = each.partition(":")
        if not colon or not port or not port.isprintable():
            raise UsageError(f"--ports {each}: is not SPINE:PORT")
        ports.setdefault(spine, []).append(port)
    addresses = {}
    for each in _list(given.pop("addresses")):
        port, equals, address = each.partition("=")
        if not equals or not address:
            raise UsageError(f"--addresses {each}: is not PORT=ADDRESS")
        addresses[port] = address
    text, loopback = given.pop("asn"), given.pop("loopback")
    asn = whole_number(text, 1, 4_294_967_295) if text is not None else None
    if text is not None and asn is None:
        raise UsageError(f"--asn {text}: is not an AS number")
    if len(names) > 1 and (asn or loopback or addresses or ports):
        raise UsageError("--asn, --loopback, --addresses and --ports are for one leaf at a time")
    return [
        LeafRequest(
            like=like, name=name, ports=ports, addresses=addresses, asn=asn, loopback=loopback
        )
        for name, like in zip(names, likes, strict=True)
    ]


def _place(finding: Finding, devices: set[str]) -> str:
    own = (each for each in finding.occurrences if each.device in devices)
    places = [place for each in own for place in each.locations if place.line]
    return f"{places[0].file}:{places[0].line}: " if places else ""


def _list(text: str | None) -> list[str]:
    return [each.strip() for each in (text or "").split(",") if each.strip()]


def _require_sound(before: State, requests: Sequence[LeafRequest], *, accepted: bool) -> None:
    """Refuse to copy a leaf with errors or warnings."""
    from roce_lint.pipeline.evaluation import DOUBLED  # noqa: PLC0415

    likes = {request.like for request in requests}
    found = [
        f"{_place(finding, likes)}{finding.rule} {finding.message}"
        for finding in before.report.findings
        if finding.suppressed is None
        and finding.severity.label in ("error", "warning")
        and likes & {each.device for each in finding.occurrences}
    ]
    doubled = [
        f"{entry.file}: {entry.message}"
        for entry in before.report.diagnostics
        if entry.incomplete and (entry.device in likes or entry.kind in DOUBLED)
    ]
    if doubled:
        raise UsageError("; ".join(doubled[:4]))
    if found and not accepted:
        raise UsageError(
            f"{' and '.join(sorted(likes))} has faults to be copied: {'; '.join(found[:4])}",
            hint="--accept-findings copies them",
        )
