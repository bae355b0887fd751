"""The clean fabric in memory: one device is read again with a changed file, and all is judged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from roce_lint import pipeline
from roce_lint.analysis.analyse import analyse
from roce_lint.engine.finding import Finding, UnknownGroup
from roce_lint.engine.run import Rules, judge
from roce_lint.loading.identify import identify
from roce_lint.model.device import Device, Role
from roce_lint.model.plan import RocePlan
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline.rules import load_rules
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import SourceFile
from roce_lint.topology.links import build_fabric
from roce_lint.topology.roles import assign_roles
from tests.metamorphic.snapshot import sample


@dataclass
class Bench:
    """Devices of the sample and the files they were read from."""

    files: dict[str, dict[str, IdentifiedFile]] = field(default_factory=dict)  # device, file name
    devices: dict[str, Device] = field(default_factory=dict)
    stated: dict[str, Role | None] = field(default_factory=dict)  # roles that the files state
    rules: Rules = field(default_factory=lambda: Rules([]))

    @classmethod
    def of(cls, name: str, *, hosts: bool = True) -> Bench:
        """Read a sample fabric: a host is a folder, a switch has its name in its files' names.

        Without `hosts` only its switches.
        """
        bench = cls(rules=load_rules(pipeline.Request(), Settings()))
        for place, text in sample(name).items():
            what = identify(place, text)
            device = re.match(r"(?:hosts|switches)/([a-z]+\d+)", place)
            assert device is not None, place
            if not hosts and place.startswith("hosts/"):
                continue
            source = all_nos()[what.nos].by_source[what.source]
            known = IdentifiedFile(SourceFile.of(place, text), source, what.args, int(what.header))
            bench.files.setdefault(device[1], {})[place] = known
        for device_name, files in sorted(bench.files.items()):
            made = bench.read(device_name, list(files.values()))
            bench.devices[device_name] = made
            bench.stated[device_name] = made.role
        return bench

    def nos(self, device: str) -> str:
        """The operating system of a device."""
        return self.devices[device].nos if device in self.devices else self._nos(device)

    def _nos(self, device: str) -> str:
        first = next(iter(self.files[device]))
        return identify(first, self.files[device][first].file.text).nos

    def read(self, device: str, files: list[IdentifiedFile]) -> Device:
        """One device from its files."""
        return read_device(all_nos()[self._nos(device)], device, files)

    def cabled(self, device: str) -> set[str]:
        """Ports of a device that lead to another one."""
        fabric, _ = build_fabric(list(self.devices.values()), [])
        return {
            end.interface.name
            for link in fabric.links
            for end in link.ends
            if end.device.hostname == device
        }

    def mutated(self, device: str, place: str, text: str) -> Device:
        """A device with one file of it changed.

        Raises:
            ReadError: the file cannot be read any more.
        """
        old = self.files[device][place]
        changed = IdentifiedFile(SourceFile.of(place, text), old.source, old.args, old.header_lines)
        return self.read(device, list({**self.files[device], place: changed}.values()))

    def judge(
        self, device: str = "", place: str = "", text: str = ""
    ) -> tuple[list[Finding], list[UnknownGroup]]:
        """What is found, with one file of one device changed.

        Raises:
            ReadError: the file cannot be read any more.
        """
        if not device:
            return self.judge_with(None, None)
        return self.judge_with(self.mutated(device, place, text), SourceFile.of(place, text))

    def judge_with(
        self, device: Device | None, file: SourceFile | None
    ) -> tuple[list[Finding], list[UnknownGroup]]:
        """What is found, with another device in the place of the one of its name, some lines of
        which are in `file`.
        """
        devices = dict(self.devices)
        if device is not None:
            devices[device.hostname] = device
        files = {n: known.file for own in self.files.values() for n, known in own.items()}
        if file is not None:
            files[file.name] = file
        for name, each in devices.items():
            each.role = self.stated[name]
        fabric, _ = build_fabric(list(devices.values()), [])
        assign_roles(fabric, {})
        fabric.plan = plan = RocePlan()
        judged = judge(fabric, analyse(fabric, plan), plan, self.rules, Excerpts(files))
        return judged.findings, judged.unknowns
