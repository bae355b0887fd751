"""Resolution of trace arguments: `HOST` or `HOST:PORT`, a class or a DSCP."""

from __future__ import annotations

import difflib

from roce_lint.analysis.missing_switches import find_absent, lack_of
from roce_lint.analysis.paths import End, Paths
from roce_lint.analysis.result import Analysis, RoceClass
from roce_lint.analysis.scope import wires
from roce_lint.errors import UsageError
from roce_lint.model.nic import Certainty, Flow
from roce_lint.pipeline import Report
from roce_lint.pipeline.trace.question import Question, ask
from roce_lint.text.names import compress

LISTED = 8
"""Names listed in hints."""


class Tracer:
    """Traces over one run.

    Raises:
        UsageError: no device was read.
    """

    def __init__(self, report: Report):
        if report.analysis is None:
            raise UsageError("no device was read")
        self._report = report
        self._analysis: Analysis = report.analysis
        self._paths = Paths(report.analysis)

    def trace(
        self,
        source: str,
        target: str,
        *,
        name: str | None = None,
        dscp: int | None = None,
        reverse: bool = False,
    ) -> list[Question]:
        """One answer for each pair of NICs (the first of every network if no port is named) and
        each class: `name`, the class of `dscp`, or those the sender is known to send. `reverse`
        follows the CNPs back.

        Raises:
            UsageError: no NIC, class or path matches.
        """
        pairs = self._pairs(source, target)
        if reverse:
            pairs = [(target, source) for source, target in pairs]
        return [
            ask(self._report, self._paths, a, b, traffic, code)
            for a, b in pairs
            for traffic, code in self._classes(a, name, dscp, reverse=reverse)
        ]

    def _pairs(self, source: str, target: str) -> list[tuple[End, End]]:
        """Pairs of NICs in one network; without ports the first pair of every network."""
        left, right = self._ends(source), self._ends(target)
        pairs: dict[int, tuple[End, End]] = {}
        for a in left:
            for b in right:
                if a.network == b.network and a != b:
                    pairs.setdefault(a.network, (a, b))
        if left == right and len(left) == 1:
            one = f"sender and receiver are both {left[0]}"
            others = [end.nic for end in self._paths.ends_of(left[0].device) if end not in left]
            raise UsageError(one, hint=f"other NICs: {_list(others)}" if others else None)
        if not pairs:
            raise UsageError(
                f"{source} and {target} have no NICs in one RoCE network",
                hint=self._ends_of_knowledge(left + right),
            )
        return list(pairs.values())

    def _ends_of_knowledge(self, ends: list[End]) -> str | None:
        """Hint that names ports of these NICs' leaves without a known peer."""
        leaves = {wire.leaf.device.hostname for end in ends for wire in end.wires}
        open_ends = [
            f"{device.hostname} {port.name}"
            for device, port in self._analysis.loose
            if device.hostname in leaves
        ]
        if not open_ends:
            return None
        ports = compress(open_ends)
        return f"the peer of {ports} is unknown (provide LLDP output or links.yaml)"

    def _ends(self, text: str) -> list[End]:
        """The NICs of `HOST` or `HOST:PORT`.

        Raises:
            UsageError: there is none.
        """
        device, _, port = text.partition(":")
        if not device:
            raise UsageError(f"{text!r} names no device: expected HOST or HOST:PORT")
        ends = self._paths.ends_of(device, port or None)
        if ends:
            return ends
        of_device = self._paths.ends_of(device)
        known = [end.nic for end in of_device] or sorted({e.device for e in self._paths.ends})
        lacking = self._what_would_tell(device, port)
        if of_device and lacking is not None:
            raise UsageError(f"the peer of {text} is unknown", hint=lacking)
        if of_device:
            what = "edge port" if self._is_switch(device) else "RoCE NIC"
            raise UsageError(f"{device} has no {what} {port}", hint=f"known: {_list(known)}")
        if self._is_switch(device):
            behind = [str(end) for end in self._paths.ends if _is_behind(end, device)]
            raise UsageError(
                f"{device} is a switch: a trace runs from NIC to NIC",
                hint=f"NICs behind it: {_list(behind)}" if behind else None,
            )
        direct = [
            at
            for at in self._analysis.ports
            if at.device.hostname == device and at.peer is not None and at.peer.device.is_host
        ]
        if direct:
            one = f"{direct[0]} is cabled to {direct[0].peer}"
            raise UsageError(one, hint="a trace runs through switches")
        spelled = [name for name in known if name.lower() == device.lower()]
        close = spelled or difflib.get_close_matches(device, known, 3) or known
        raise UsageError(
            f"{device} has no RoCE NIC with a known link",
            hint=lacking or (f"known: {_list(close)}" if close else "no links are known"),
        )

    def _what_would_tell(self, device: str, port: str) -> str | None:
        """Missing configuration of unread switches at a host's RoCE NICs, or at the requested
        one.
        """
        unread = find_absent(self._analysis.fabric, hosts=True)
        missing = {
            lack_of(unread[owner.hostname, wire].device)
            for owner, nic in self._analysis.roce_nics
            if owner.hostname == device
            for wire in wires(owner, nic)
            if (owner.hostname, wire) in unread and port in ("", nic.name, nic.port, wire)
        }
        return f"missing: {' and '.join(sorted(missing))}" if missing else None

    def _is_switch(self, name: str) -> bool:
        device = self._analysis.fabric.devices.get(name)
        return device is not None and not device.is_host

    def _classes(
        self, source: End, name: str | None, dscp: int | None, *, reverse: bool
    ) -> list[tuple[RoceClass | None, int]]:
        """The requested classes, each with the DSCP to follow."""
        classes = self._analysis.classes
        if dscp is not None:
            owner = next((c for c in classes if dscp in c.dscps), None)
            return [(owner, dscp)]
        if name is not None:
            found = [c for c in classes if c.name.lower() == name.lower()]
            found = found or [c for c in classes if c.name.lower().startswith(name.lower())]
            if len(found) != 1:
                known = ", ".join(c.name for c in found or classes) or "none"
                match = "several classes match" if found else "no class is named"
                raise UsageError(f"{match} {name!r}", hint=f"known: {known}")
            return [(found[0], found[0].dscps[0])]
        flow = Flow.CNP if reverse else Flow.DATA
        candidates = [c for c in classes if c.flow is flow]
        sent = self._codes_sent_by(source, flow)
        own = [(c, d) for c in candidates for d in c.dscps if d in sent]
        chosen = own or [(c, c.dscps[0]) for c in candidates]
        if not chosen:
            what = "CNP class" if reverse else "RoCE class"
            raise UsageError(f"no {what} is known here", hint="select a DSCP with --dscp")
        return list(chosen)

    def _codes_sent_by(self, source: End, flow: Flow) -> set[int]:
        device = self._analysis.fabric.devices[source.device]
        return {
            emission.dscp
            for emission in device.emits
            if emission.flow is flow
            and emission.certainty is Certainty.STATED
            and (not emission.nics or source.nic in emission.nics)
        }


def _list(names: list[str]) -> str:
    """The first names, and the number of others."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def _is_behind(end: End, switch: str) -> bool:
    return any(wire.host and wire.leaf.device.hostname == switch for wire in end.wires)
