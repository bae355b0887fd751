"""The clean fabric in memory: one device is read again with a changed file, and all is judged."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from roce_lint import pipeline
from roce_lint.analysis.analyse import analyse
from roce_lint.engine.finding import Finding, UnknownGroup
from roce_lint.engine.run import Rules, judge
from roce_lint.errors import ReadError
from roce_lint.load.identify import identify
from roce_lint.model.device import Device, Role
from roce_lint.model.plan import RocePlan
from roce_lint.nos.base import Form
from roce_lint.nos.device_reader import Identified, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.nos.trees import leaves
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import LineState, SourceFile
from roce_lint.topology.links import build_fabric
from roce_lint.topology.roles import assign_roles
from tests.metamorphic.snapshot import sample

Path = tuple[Hashable, ...]


@dataclass
class Bench:
    """Devices of the sample and the files they were read from."""

    files: dict[str, dict[str, Identified]] = field(default_factory=dict)  # device, file name
    devices: dict[str, Device] = field(default_factory=dict)
    stated: dict[str, Role | None] = field(default_factory=dict)  # roles that the files state
    rules: Rules = field(default_factory=lambda: Rules([]))

    @classmethod
    def of(cls, name: str) -> Bench:
        """Read a sample fabric: a host is a folder, a switch has its name in its files' names."""
        bench = cls(rules=pipeline.load_rules(pipeline.Request(), Settings()))
        for place, text in sample(name).items():
            what = identify(place, text)
            device = re.match(r"(?:hosts|switches)/([a-z]+\d+)", place)
            assert device is not None, place
            source = all_nos()[what.nos].by_source[what.source]
            known = Identified(SourceFile.of(place, text), source, what.args, int(what.header))
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

    def read(self, device: str, files: list[Identified]) -> Device:
        """One device from its files."""
        return read_device(all_nos()[self._nos(device)], device, files)

    def judge(
        self, device: str = "", place: str = "", text: str = ""
    ) -> tuple[list[Finding], list[UnknownGroup]]:
        """What is found, with one file of one device changed.

        Raises:
            ReadError: the file cannot be read any more.
        """
        devices = dict(self.devices)
        files = {name: known for all_of in self.files.values() for name, known in all_of.items()}
        if device:
            old = files[place]
            changed = Identified(SourceFile.of(place, text), old.source, old.args, old.header_lines)
            own = {**self.files[device], place: changed}
            devices[device] = self.read(device, list(own.values()))
            files[place] = changed
        for name, each in devices.items():
            each.role = self.stated[name]
        fabric, _ = build_fabric(list(devices.values()), [])
        assign_roles(fabric, {})
        fabric.plan = plan = RocePlan()
        excerpts = Excerpts({name: known.file for name, known in files.items()})
        judged = judge(fabric, analyse(fabric, plan), plan, self.rules, excerpts)
        return judged.findings, judged.unknowns


# ------------------------------------------------------------------------------------- mutations


@dataclass(frozen=True)
class Mutant:
    """One change of one stated value. A finding must point at one of `lines`, or at `path`."""

    device: str
    place: str
    kind: str  # digit, delete, double, move
    shape: str  # what is changed, without what tells one port or host from another
    text: str = field(repr=False)
    lines: tuple[int, ...] = ()
    path: str = ""

    @property
    def entry(self) -> str:
        """The mutant as unseen.txt names it."""
        return f"{self.kind} {self.device}: {self.shape}"


def found(mutant: Mutant, findings: list[Finding]) -> bool:
    """A finding points at the changed place; where a line is gone, into its stanza or table."""
    for finding in findings:
        for occurrence in finding.occurrences:
            for place in occurrence.locations:
                if place.file != mutant.place:
                    continue
                if mutant.path and place.path and _same(mutant, place.path):
                    return True
                if not mutant.path and place.line in mutant.lines:
                    return True
    return False


def _same(mutant: Mutant, path: str) -> bool:
    if mutant.kind == "digit":
        return path == mutant.path or mutant.path.startswith(f"{path}|")
    above = mutant.path.rpartition("|")[0]
    return path in (mutant.path, above) or path.startswith(f"{above}|")


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PORT = re.compile(r"\bEthernet\d+(?:/\d+)*|\bens\d+f\dnp\d|\bmlx5_\d+")

OTHER = re.compile(
    r"!|description |ip |ipv6 |hostname |switchname |version |vdc |vrf |vlan \d|no ip |router |"
    r"address-family|neighbor |network |management |logging|ntp |snmp|feature |boot |speed |"
    r"no switchport|error-correction |interface "
)
"""Lines that say nothing about RoCE traffic: who a device is, addresses, routing."""

TABLES = (
    "BUFFER_PG", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_QUEUE", "CABLE_LENGTH", "DSCP_TO_TC_MAP",
    "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_WD", "PORT", "PORT_QOS_MAP", "QUEUE", "SCHEDULER",
    "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "WRED_PROFILE",
)  # fmt: skip
NO_ROCE = ("alias", "description", "index", "lanes", "subport", "speed", "autoneg")
OUTPUTS = {
    "mlnx_qos": r"\t+prio:|Receive|Cable|\tenabled|\tbuffer|tc: |\t priority:",
    "ecn-": r"\S*/(?:enable|cnp_dscp|cnp_802p_prio)",
    "traffic_class": r"Global",
    "nccl.conf": r"NCCL_IB_(?:TC|GID_INDEX|HCA)",
    "ibv_devinfo": r"\s*active_mtu",
}
"""Outputs of a host, and which of their lines say how RoCE is treated."""


def mutants(bench: Bench) -> Iterator[Mutant]:
    """Every stated value, changed once in each way; of things alike only the first."""
    seen: set[tuple[str, str, str]] = set()
    for device in ("leaf1", "leaf2", "leaf3", "spine1", "spine2", "gpu01"):
        nos = bench.nos(device)
        used = set(_used(bench, device))
        for place, known in bench.files[device].items():
            if known.source.form is Form.JSON:
                made = _of_tree(device, place, known, used)
            elif known.source.form is Form.INDENTED:
                made = _of_config(bench, device, place, known, used)
            else:
                made = _of_output(bench, device, place, known)
            for mutant in made:
                key = (f"{nos}{device.rstrip('0123456789')}", mutant.kind, mutant.shape)
                if key not in seen:
                    seen.add(key)
                    yield mutant


def _used(bench: Bench, device: str) -> Iterator[str]:
    fabric, _ = build_fabric(list(bench.devices.values()), [])
    for link in fabric.links:
        for end in (link.a, link.b):
            if end.device.hostname == device:
                yield end.interface.name


def changed(text: str, number: re.Match[str]) -> str:
    """A text with one of its numbers changed in its first digit, never to zero."""
    first = int(number[0][0])
    other = first - 1 if first > 1 else first + 1
    return f"{text[: number.start()]}{other}{text[number.start() + 1 :]}"


def _shape(*texts: str) -> str:
    return " / ".join(_PORT.sub("PORT", " ".join(text.split())) for text in texts if text)


def _of_config(
    bench: Bench, device: str, place: str, known: Identified, used: set[str]
) -> Iterator[Mutant]:
    lines = known.file.lines()
    ref = next(r for r in bench.devices[device].src.files if r.name == place)
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if ref.states[number - 1] != LineState.UNDERSTOOD or OTHER.match(text):
            continue
        above = _headers(lines, number)
        top = above[0] if above else text
        if top.startswith("interface ") and top.split()[1] not in used:
            continue
        shape = _shape(*above, text)
        base = Mutant(device, place, "", shape, "")
        yield from _changes(base, lines, number)
        yield _made(base, "delete", [*lines[: number - 1], *lines[number:]], _block(lines, number))
        yield from _move(base, lines, number)


def _made(base: Mutant, kind: str, lines: list[str], at: Iterator[int], more: str = "") -> Mutant:
    text = "\n".join(lines)
    return Mutant(base.device, base.place, kind, base.shape + more, text, tuple(at))


def _changes(
    base: Mutant, lines: list[str], number: int, *, double: bool = True
) -> Iterator[Mutant]:
    line = lines[number - 1]
    start = len(line) - len(line.lstrip()) + len(line.split(None, 1)[0])
    if line.lstrip().startswith(("interface ", "policy-map", "class-map")):
        return  # a number in a name is no value
    for count, value in enumerate(_NUMBER.finditer(line, start), 1):
        if _PORT.search(line, max(value.start() - 12, 0), value.end()):
            continue
        if re.search(r"[A-Za-z]-?\d*q?-?$", line[: value.start()].rsplit(" ", 1)[-1]):
            continue  # c-out-8q-q5: a part of a name
        other = changed(line, value)
        rest = lines[number:]
        more = f" #{count}"
        yield _made(base, "digit", [*lines[: number - 1], other, *rest], iter((number,)), more)
        if double:
            twice = [*lines[:number], other, *rest]
            yield _made(base, "double", twice, iter((number, number + 1)), more)


def _move(base: Mutant, lines: list[str], number: int) -> Iterator[Mutant]:
    """The line into the next block of the same depth, where there is one."""
    header = next(
        (
            n
            for n in range(number, 0, -1)
            if _depth(lines[n - 1]) < _depth(lines[number - 1])
            and lines[n - 1].strip() not in ("", "!")
        ),
        0,
    )
    if not header or _depth(lines[number - 1]) == 0:
        return
    word = lines[header - 1].split()[0]
    for other in range(number + 1, len(lines) + 1):
        line = lines[other - 1]
        if _depth(line) == _depth(lines[header - 1]) and line.split()[:1] == [word]:
            moved = [*lines[: number - 1], *lines[number:other], lines[number - 1], *lines[other:]]
            at = (n for n in (*_block(lines, number), other) if n)
            yield _made(base, "move", moved, at)
            return


def _headers(lines: list[str], number: int) -> list[str]:
    """The lines that a line stands below, the outermost first."""
    above = []
    depth = _depth(lines[number - 1])
    for line in reversed(lines[: number - 1]):
        if line.strip() not in ("", "!") and _depth(line) < depth:
            above.insert(0, line.strip())
            depth = _depth(line)
    return above


def _block(lines: list[str], number: int) -> Iterator[int]:
    """The lines of the stanza that a line is in."""
    first = number
    while first > 1 and (_depth(lines[first - 1]) or not lines[first - 1].strip()):
        first -= 1
    yield first
    last = first + 1
    while last <= len(lines) and _depth(lines[last - 1]):
        yield last
        last += 1


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _of_output(bench: Bench, device: str, place: str, known: Identified) -> Iterator[Mutant]:
    """Outputs of commands and environment files: a value reads otherwise."""
    leaf = place.rsplit("/", 1)[-1]
    wanted = next((lines for name, lines in OUTPUTS.items() if leaf.startswith(name)), None)
    lines = known.file.lines()
    for number, line in enumerate(lines, 1):
        if wanted is None or not re.match(wanted, line):
            continue
        base = Mutant(device, place, "", _shape(leaf, line), "")
        yield from _digits(base, lines, number)


def _digits(base: Mutant, lines: list[str], number: int) -> Iterator[Mutant]:
    line = lines[number - 1]
    begin = max(line.rfind(mark) for mark in "=:") + 1 if re.search("[=:]", line) else 0
    for count, value in enumerate(_NUMBER.finditer(line, begin), 1):
        if line[value.start() - 1 : value.start()].isalpha():
            continue
        other = changed(line, value)
        lone = [*lines[: number - 1], other, *lines[number:]]
        yield _made(base, "digit", lone, iter((number,)), f" #{count}")


def _of_tree(device: str, place: str, known: Identified, used: set[str]) -> Iterator[Mutant]:
    text = known.file.text
    begin = text.index("\n") + 1 if text.startswith("#") else 0
    data = json.loads(text[begin:])
    for path, value in leaves(data):
        if not _wanted(place, path, used, data):
            continue
        names = [str(key) for key in path]
        base = Mutant(
            device, place, "", _shape("|".join(names), str(value)), "", (), "|".join(names)
        )
        for kind, other in _variants(data, path, value):
            shown = text[:begin] + json.dumps(other, indent=4) + "\n"
            yield Mutant(device, place, kind, base.shape, shown, (), base.path)


def _wanted(place: str, path: Path, used: set[str], data: object) -> bool:
    if place.startswith("hosts/"):
        return place.endswith("ip-link.json") and path[-1] == "mtu"
    if path[0] not in TABLES or path[-1] in NO_ROCE:
        return False
    ports = [part for key in path[1:] for part in str(key).split("|") if _PORT.fullmatch(part)]
    return all(port in used for port in ports)


def _variants(data: object, path: Path, value: object) -> Iterator[tuple[str, object]]:
    """The tree with the leaf changed in a digit, without it, and with it in the next entry."""
    number = _NUMBER.search(str(value))
    if number and not re.search(r"[A-Za-z_]", str(value)):
        other = changed(str(value), number)
        yield "digit", _with(data, path, int(other) if isinstance(value, int) else other)
    if isinstance(value, str):
        yield "delete", _with(data, path, None)
        table = data[path[0]] if isinstance(data, dict) else {}
        keys = list(table)
        following = keys[(keys.index(path[1]) + 1) % len(keys)] if len(path) == 3 else None
        if following not in (None, path[1]) and isinstance(table[following], dict):
            moved = _with(data, path, None)
            yield "move", _with(moved, (path[0], following, path[2]), value)


def _with(data: object, path: Path, value: object) -> object:
    """A copy of the tree with another leaf; without it where the value is None."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(data, list):
        return [_with(each, rest, value) if n == key else each for n, each in enumerate(data)]
    assert isinstance(data, dict)
    copy = dict(data)
    if not rest and value is None:
        copy.pop(key, None)
    else:
        copy[key] = _with(copy.get(key, {}), rest, value)
    return copy


def outcome(bench: Bench, mutant: Mutant) -> str:
    """`found` at its place, `elsewhere`, `unknown`, `refused` by the reader, or `unseen`."""
    try:
        findings, unknowns = bench.judge(mutant.device, mutant.place, mutant.text)
    except ReadError:
        return "refused"
    if found(mutant, findings):
        return "found"
    if findings:
        return "elsewhere"
    return "unknown" if unknowns else "unseen"
