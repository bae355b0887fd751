"""Three leaves and a spine of one system, optionally with a host on each leaf, and changed lines.

The switches are those of the mixed fabric: port 0 of a leaf leads to its host, port 1 to the spine.
RoCE is DSCP 26 in priority 3, network control and CNP are DSCP 48.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roce_lint.engine.finding import Finding, Severity
from roce_lint.pipeline import Report
from tests.bench import Files, check, edit
from tests.fabrics.mixed import KINDS, snapshot
from tests.fabrics.stable import build, switches

Outcomes = list[tuple[str, str, str, str]]
"""Severity, rule, device, and text of the first line of each finding."""

EVERY = ("leaf1", "leaf2", "leaf3", "spine1")
LEAVES = EVERY[:3]
NIC = "mlnx_qos-ens1np0.txt"
ENV = "NCCL_IB_HCA=mlx5_0\nNCCL_IB_GID_INDEX=3\n"


@dataclass
class Made:
    """A fabric: the files of its switches by device, and its hosts."""

    texts: Files
    files: dict[str, str]
    hosts: Sequence[str] = ()

    def change(self, device: str, *pairs: tuple[str, str], every: bool = False) -> Made:
        """Replace in the file of a switch the first occurrence of each text, or every one."""
        self.texts = edit(self.texts, self.files[device], *pairs, every=every)
        return self

    def everywhere(self, *pairs: tuple[str, str], every: bool = False) -> Made:
        """Replace on all switches."""
        for device in self.files:
            self.change(device, *pairs, every=every)
        return self

    def remake(self, device: str, how: Callable[[str], str]) -> Made:
        """Rewrite the file of a switch from its text."""
        self.texts[self.files[device]] = how(self.texts[self.files[device]])
        return self

    def of_host(self, name: str, file: str, *pairs: tuple[str, str]) -> Made:
        """Replace in an output of a host."""
        self.texts = edit(self.texts, f"hosts/{name}/{file}", *pairs)
        return self

    def add(self, name: str, file: str, text: str, command: str = "") -> Made:
        """Add another output or file of a host."""
        head = f"# command: {command}  host: {name}\n" if command else ""
        self.texts[f"hosts/{name}/{file}"] = head + text
        return self

    def remove(self, *names: str) -> Made:
        """Remove files, or the content of a folder."""
        for name in [each for each in self.texts if each.startswith(names)]:
            del self.texts[name]
        return self

    def report(self, *, select: tuple[str, ...] = ()) -> Report:
        """Report of a run."""
        return check(self.texts, select=select)

    def outcomes(self, least: Severity = Severity.WARNING) -> Outcomes:
        """Findings of at least a severity."""
        return [self._of(f) for f in self.report().findings if f.severity >= least]

    def devices(self, rule: str) -> set[str]:
        """Devices with a finding of a rule."""
        found = (f for f in self.report().findings if f.rule == rule)
        return {occurrence.device for f in found for occurrence in f.occurrences}

    def _of(self, finding: Finding) -> tuple[str, str, str, str]:
        place, line = finding.location, ""
        if place is not None and place.line:
            line = self.texts[place.file].splitlines()[place.line - 1].strip()
        return finding.severity.label, finding.rule, finding.device, line


def made(systems: str | Sequence[str], *, hosts: bool = False) -> Made:
    """The fabric; `systems`: one for all, or those of the spine and each leaf."""
    each = [systems] * 4 if isinstance(systems, str) else list(systems)
    texts = build(each)
    own = Made(texts, switches(texts))
    for number, nos in enumerate(each[1:] if hosts else (), 1):
        name = f"gpu{number}"
        own.hosts = (*own.hosts, name)
        own.texts |= {
            file: text.replace("00:01", f"00:0{number}") for file, text in snapshot(name).items()
        }
        own.texts["links.yaml"] += f"- [leaf{number}:{KINDS[nos].port(0)}, {name}:ens1np0]\n"
    return own
