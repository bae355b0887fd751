"""`roce-lint trace`: one class from NIC to NIC, hop by hop, and where it breaks."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.asked import Asked, fabric_options
from roce_lint.errors import UsageError
from roce_lint.report import Options
from roce_lint.report.names import compress

if TYPE_CHECKING:
    from roce_lint.analysis.paths import End, Paths
    from roce_lint.analysis.result import Analysis, RoceClass
    from roce_lint.cli.trace_table import Asking
    from roce_lint.pipeline import Report
    from roce_lint.text.excerpts import Excerpts

SCHEMA = "roce-lint/trace/1"

BROKEN = 1
INCOMPLETE = 3

LISTED = 8
"""Names shown of what there is, where none is called as was asked."""

TABLE_WIDTH = 400


@click.command("trace")
@click.argument("path")
@click.option("--from", "source", required=True, metavar="HOST[:PORT]", help="The NIC that sends.")
@click.option("--to", "target", required=True, metavar="HOST[:PORT]", help="The NIC that receives.")
@click.option("--class", "name", metavar="NAME", help="The class, as `show` names it.")
@click.option("--dscp", type=click.IntRange(0, 63), metavar="N", help="The code point.")
@click.option("--reverse", is_flag=True, help="The way back: CNP from the receiver to the sender.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@fabric_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: str,
    source: str,
    target: str,
    name: str | None,
    dscp: int | None,
    reverse: bool,  # noqa: FBT001  (click passes it by name)
    form: str,
    **given: Any,
) -> None:
    """Follow a traffic class below PATH from one NIC to another and show what each hop does to it.

    Equal-cost paths that treat it alike are shown as one. Exit status 1: it breaks on the way.
    """
    if name is not None and dscp is not None:
        raise click.UsageError("--class and --dscp exclude each other")
    asked = Asked(paths=(path,), **given)
    report = asked.run(asked.settings(), progress=sys.stderr.isatty())
    options = Options(cwd=str(Path.cwd()))
    status = Trace(report).run((source, target), (name, dscp), form, options, reverse=reverse)
    from roce_lint.report import summary, text  # noqa: PLC0415

    about = text.paint(summary.about_files(report, options), output.for_stream(options, err=True))
    output.write(about, err=True)
    ctx.exit(status or (INCOMPLETE if report.incomplete else 0))


class Trace:
    """Answers what was asked about one run."""

    def __init__(self, report: Report):
        from roce_lint.analysis.paths import Paths  # noqa: PLC0415

        if report.analysis is None or report.excerpts is None:
            raise UsageError("nothing was read")
        self.report = report
        self._analysis: Analysis = report.analysis
        self._excerpts: Excerpts = report.excerpts
        self._paths: Paths = Paths(report.analysis)

    def run(
        self,
        ends: tuple[str, str],
        traffic: tuple[str | None, int | None],
        form: str,
        options: Options,
        *,
        reverse: bool,
    ) -> int:
        """Write the answer; the exit status."""
        from roce_lint.cli import trace_table  # noqa: PLC0415
        from roce_lint.report import text  # noqa: PLC0415
        from roce_lint.report.places import Places  # noqa: PLC0415

        pairs = self._pairs(*ends)
        if reverse:
            pairs = [(target, source) for source, target in pairs]
        asking = [
            trace_table.asking(self.report, self._paths, source, target, known, dscp)
            for source, target in pairs
            for known, dscp in self._classes(source, *traffic, reverse=reverse)
        ]
        if form == "json":
            data = {"schema": SCHEMA, "traces": [trace_table.as_data(one) for one in asking]}
            output.write_json(data)
        else:
            places = Places(self.report.base, options.cwd)
            painted = _wide(output.for_stream(options))
            lines = (line for one in asking for line in trace_table.as_lines(one, places))
            output.write(text.paint(lines, painted))
        return BROKEN if any(_broken(one) for one in asking) else 0

    def _pairs(self, source: str, target: str) -> list[tuple[End, End]]:
        """Pairs of NICs in one network. Without ports: the first pair of every network."""
        left, right = self._ends(source), self._ends(target)
        pairs: dict[int, tuple[End, End]] = {}
        for a in left:
            for b in right:
                if a.network == b.network and a != b:
                    pairs.setdefault(a.network, (a, b))
        if left == right and len(left) == 1:
            one = f"{left[0]} is both ends"
            others = [end.nic for end in self._paths.ends_of(left[0].device) if end not in left]
            raise UsageError(one, hint=f"it has {_listed(others)} too" if others else None)
        if not pairs:
            raise UsageError(
                f"{source} and {target} have no NICs in one RoCE network",
                hint=self._ends_of_knowledge(left + right),
            )
        return list(pairs.values())

    def _ends_of_knowledge(self, ends: list[End]) -> str | None:
        """Ports of the leaves of some NICs that lead to where nothing is known."""
        leaves = {wire.leaf.device.hostname for end in ends for wire in end.wires}
        open_ends = [
            f"{device.hostname} {port.name}"
            for device, port in self._analysis.loose
            if device.hostname in leaves
        ]
        if not open_ends:
            return None
        ports = compress(open_ends)
        return f"nothing tells where {ports} leads (a links.yaml or LLDP output would)"

    def _ends(self, text: str) -> list[End]:
        """The NICs of `HOST` or `HOST:PORT`.

        Raises:
            UsageError: there is none.
        """
        device, _, port = text.partition(":")
        if not device:
            raise UsageError(f"{text!r} names no device: HOST or HOST:PORT is wanted")
        ends = self._paths.ends_of(device, port or None)
        if ends:
            return ends
        of_device = self._paths.ends_of(device)
        known = [end.nic for end in of_device] or sorted({e.device for e in self._paths.ends})
        lacking = self._what_would_tell(device, port)
        if of_device and lacking is not None:
            raise UsageError(f"where {text} leads is not known", hint=lacking)
        if of_device:
            what = "edge port" if self._is_switch(device) else "RoCE NIC"
            raise UsageError(
                f"{device} has no {what} called {port}", hint=f"it has {_listed(known)}"
            )
        if self._is_switch(device):
            behind = [str(end) for end in self._paths.ends if _is_behind(end, device)]
            raise UsageError(
                f"{device} is a switch: packets are followed from a NIC to a NIC",
                hint=f"behind it is {_listed(behind)}" if behind else None,
            )
        direct = [
            at
            for at in self._analysis.ports
            if at.device.hostname == device and at.peer is not None and at.peer.device.is_host
        ]
        if direct:
            one = f"{direct[0]} is cabled to {direct[0].peer}"
            raise UsageError(one, hint="packets are followed through switches")
        spelled = [name for name in known if name.lower() == device.lower()]
        close = spelled or difflib.get_close_matches(device, known, 3) or known
        raise UsageError(
            f"no RoCE NIC with a known link is on {device}",
            hint=lacking or (f"there is {_listed(close)}" if close else "no links are known"),
        )

    def _what_would_tell(self, device: str, port: str) -> str | None:
        """What would tell where a host's RoCE NICs lead, or the one that is asked for: the
        configuration of the switches of which nothing was read at the other end.
        """
        from roce_lint.analysis.absent import find_absent, lack_of  # noqa: PLC0415
        from roce_lint.analysis.scope import wires  # noqa: PLC0415

        unread = find_absent(self._analysis.fabric, hosts=True)
        missing = {
            lack_of(unread[owner.hostname, wire].device)
            for owner, nic in self._analysis.roce_nics
            if owner.hostname == device
            for wire in wires(owner, nic)
            if (owner.hostname, wire) in unread and port in ("", nic.name, nic.port, wire)
        }
        return f"{' and '.join(sorted(missing))} would tell" if missing else None

    def _is_switch(self, name: str) -> bool:
        device = self._analysis.fabric.devices.get(name)
        return device is not None and not device.is_host

    def _classes(
        self, source: End, name: str | None, dscp: int | None, *, reverse: bool
    ) -> list[tuple[RoceClass | None, int]]:
        """The classes asked for, each with the code point to follow."""
        from roce_lint.model.nic import Flow  # noqa: PLC0415

        classes = self._analysis.classes
        if dscp is not None:
            owner = next((c for c in classes if dscp in c.dscps), None)
            return [(owner, dscp)]
        if name is not None:
            found = [c for c in classes if c.name.lower() == name.lower()]
            found = found or [c for c in classes if c.name.lower().startswith(name.lower())]
            if len(found) != 1:
                known = ", ".join(c.name for c in found or classes) or "none"
                called = "several classes are" if found else "no class is"
                raise UsageError(f"{called} called {name!r}", hint=f"there is {known}")
            return [(found[0], found[0].dscps[0])]
        flow = Flow.CNP if reverse else Flow.DATA
        wanted = [c for c in classes if c.flow is flow]
        sent = self._sent_by(source, flow)
        own = [(c, d) for c in wanted for d in c.dscps if d in sent]
        chosen = own or [(c, c.dscps[0]) for c in wanted]
        if not chosen:
            what = "CNP class" if reverse else "RoCE class"
            raise UsageError(f"no {what} is known here", hint="--dscp names a code point")
        return list(chosen)

    def _sent_by(self, source: End, flow: Any) -> set[int]:
        from roce_lint.model.nic import Certainty  # noqa: PLC0415

        device = self._analysis.fabric.devices[source.device]
        return {
            emission.dscp
            for emission in device.emits
            if emission.flow is flow
            and emission.certainty is Certainty.STATED
            and (not emission.nics or source.nic in emission.nics)
        }


def _listed(names: list[str]) -> str:
    """The first names, and how many there are more."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def _is_behind(end: End, switch: str) -> bool:
    return any(wire.host and wire.leaf.device.hostname == switch for wire in end.wires)


def _broken(asking: Asking) -> bool:
    return any(way.broken for way in asking.ways)


def _wide(options: Options) -> Options:
    """A table is not folded: a wide terminal shows it whole, a narrow one breaks its lines."""
    from dataclasses import replace  # noqa: PLC0415

    return replace(options, width=TABLE_WIDTH)
