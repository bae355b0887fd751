"""Three leaves and a spine of one system, a host on each leaf if asked for, and lines of them changed.

The switches are those of the mixed fabric: port 0 of a leaf is to its host, port 1 to the spine.
RoCE is DSCP 26 in priority 3, network control and CNP are DSCP 48.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.engine.finding import Finding, Severity
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.fabrics.mixed import HOST, KINDS
from tests.fabrics.stable import write

Told = list[tuple[str, str, str, str]]
"""Of each finding: severity, rule, device, and the text of the line that stands first."""

EVERY = ("leaf1", "leaf2", "leaf3", "spine1")
LEAVES = EVERY[:3]
NIC = "mlnx_qos-ens1np0.txt"
ENV = "NCCL_IB_HCA=mlx5_0\nNCCL_IB_GID_INDEX=3\n"


@dataclass
class Made:
    """A fabric in a folder, and its files by the name of the device."""

    folder: Path
    files: dict[str, Path]
    hosts: dict[str, Path] = field(default_factory=dict)

    def change(self, device: str, *pairs: tuple[str, str], every: bool = False) -> Made:
        """Replace in the file of a switch the first place of each text, or every one."""
        path = self.files[device]
        text = path.read_text()
        for old, new in pairs:
            assert old in text, (device, old)
            text = text.replace(old, new) if every else text.replace(old, new, 1)
        path.write_text(text)
        return self

    def everywhere(self, *pairs: tuple[str, str], every: bool = False) -> Made:
        """The same on all switches."""
        for device in self.files:
            self.change(device, *pairs, every=every)
        return self

    def remake(self, device: str, how: Callable[[str], str]) -> Made:
        """The file of a switch made anew from its text."""
        self.files[device].write_text(how(self.files[device].read_text()))
        return self

    def of_host(self, name: str, file: str, *pairs: tuple[str, str]) -> Made:
        """Replace in an output of a host."""
        path = self.hosts[name] / file
        text = path.read_text()
        for old, new in pairs:
            assert old in text, (name, file, old)
            text = text.replace(old, new, 1)
        path.write_text(text)
        return self

    def add(self, name: str, file: str, text: str, command: str = "") -> Made:
        """Another output or file of a host."""
        head = f"# command: {command}  host: {name}\n" if command else ""
        (self.hosts[name] / file).write_text(head + text)
        return self

    def report(self, *, select: tuple[str, ...] = ()) -> Report:
        """What a run says of it."""
        asked = Request((str(self.folder),), jobs=1, cache=False, select=select)
        return run(asked, Settings())

    def told(self, least: Severity = Severity.WARNING) -> Told:
        """What is found that is at least so grave."""
        return [self._of(f) for f in self.report().findings if f.severity >= least]

    def devices(self, rule: str) -> set[str]:
        """All devices at which a rule finds something."""
        found = (f for f in self.report().findings if f.rule == rule)
        return {occurrence.device for f in found for occurrence in f.occurrences}

    def _of(self, finding: Finding) -> tuple[str, str, str, str]:
        place, line = finding.location, ""
        if place is not None and place.line:
            line = (self.folder / place.file).read_text().splitlines()[place.line - 1].strip()
        return finding.severity.label, finding.rule, finding.device, line


def made(folder: Path, systems: str | Sequence[str], *, hosts: bool = False) -> Made:
    """The fabric; `systems`: one for all, or that of the spine and of each leaf."""
    each = [systems] * 4 if isinstance(systems, str) else list(systems)
    own = Made(folder / "fabric", write(folder / "fabric", each))
    if hosts:
        links = []
        for number, nos in enumerate(each[1:], 1):
            name = f"gpu{number}"
            own.hosts[name] = own.folder / "hosts" / name
            own.hosts[name].mkdir(parents=True)
            for path in HOST.iterdir():
                text = path.read_text().replace("gpu1", name).replace("tclass=98", "tclass=106")
                (own.hosts[name] / path.name).write_text(text.replace("00:01", f"00:0{number}"))
            links.append(f"- [leaf{number}:{KINDS[nos].port(0)}, {name}:ens1np0]\n")
        plan = own.folder / "links.yaml"
        plan.write_text(plan.read_text() + "".join(links))
    return own
