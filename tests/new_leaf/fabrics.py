"""Leaf-spine fabrics of one or several network systems, each file as its device prints it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.bench import Files
from tests.fabrics.mixed import TEXTS as HEADS
from tests.fabrics.mixed import snapshot, sonic

TEXTS = Path(__file__).resolve().parent / "texts"
SPINE_AS = 65500
HOST_PORTS, FREE_PORTS = 2, 2
NIC = "ens1np0"


@dataclass(frozen=True)
class Port:
    """A port of a switch with what is at its other end; a free one has its number alone."""

    n: int  # from 0
    kind: str = "free"
    address: str = ""
    peer: str = ""
    peer_port: str = ""
    far: str = ""
    far_as: int = 0


@dataclass(frozen=True)
class Switch:
    """A device of a fabric."""

    name: str
    number: int
    spine: bool
    ports: tuple[Port, ...]

    def seen(self, hosts: int) -> list[Port]:
        """The ports at whose other end is a device of the fabric."""
        return [p for p in self.ports if p.kind == "link" or (p.kind == "host" and p.n < hosts)]

    def words(self) -> dict[str, str]:
        """Template variables of the device."""
        return {
            "name": self.name,
            "number": str(self.number),
            "asn": str(SPINE_AS if self.spine else 65000 + self.number),
            "router": f"10.255.{int(not self.spine)}.{self.number}",
            "management": f"192.0.2.{(200 if self.spine else 10) + self.number}",
            "group": "LEAVES" if self.spine else "SPINES",
        }


Writer = Callable[[Switch], str]


@dataclass(frozen=True)
class Kind:
    """File ending, port names and writer of a system."""

    suffix: str
    port: Callable[[int], str]
    write: Writer


def fabric(
    system: str,
    leaves: int = 8,
    spines: int = 2,
    *,
    hosts: int = 0,
    plan: bool = False,
    lldp: bool = False,
    without: str = "",
) -> Files:
    """A fabric wholly of one system.

    `hosts` are written below each leaf, two at least where there are any, `plan` adds links.yaml,
    `lldp` what each device sees of the others, and one leaf can be left out together with all lines
    that others have for it.
    """
    return _build([system] * leaves, [system] * spines, (hosts, plan, lldp), without)


def mixed(
    systems: Sequence[str],
    spines: int = 2,
    *,
    hosts: int = 0,
    plan: bool = False,
    lldp: bool = False,
    without: str = "",
) -> Files:
    """A fabric with a leaf of each system named, in this order, below spines of EOS."""
    return _build(systems, ["eos"] * spines, (hosts, plan, lldp), without)


def file_of(name: str, system: str) -> str:
    """The file of a switch in its fabric."""
    return f"switches/{name}.{KINDS[system].suffix}"


def _build(
    leaves: Sequence[str], spines: Sequence[str], further: tuple[int, bool, bool], without: str
) -> Files:
    hosts, plan, lldp = further
    files: Files = {}
    links: list[str] = []
    count = max(hosts, HOST_PORTS)
    for s, system in enumerate(spines, 1):
        ports = [
            Port(k - 1)
            if f"leaf{k}" == without
            else Port(
                k - 1,
                "link",
                f"10.1.{s}.{2 * k}",
                f"leaf{k}",
                KINDS[own].port(count + s - 1),
                f"10.1.{s}.{2 * k + 1}",
                65000 + k,
            )
            for k, own in enumerate(leaves, 1)
        ]
        ports += [Port(len(leaves) + n) for n in range(FREE_PORTS)]
        files |= _files(system, Switch(f"spine{s}", s, True, tuple(ports)), lldp, hosts)
    for k, system in enumerate(leaves, 1):
        if f"leaf{k}" == without:
            continue
        below = {j: f"gpu{(k - 1) * count + j + 1}" for j in range(count)}
        ports = [
            Port(j, "host", f"10.2.{k}.{2 * j}", name, NIC, f"10.2.{k}.{2 * j + 1}")
            for j, name in below.items()
        ]
        ports += [
            Port(
                count + s - 1,
                "link",
                f"10.1.{s}.{2 * k + 1}",
                f"spine{s}",
                KINDS[own].port(k - 1),
                f"10.1.{s}.{2 * k}",
                SPINE_AS,
            )
            for s, own in enumerate(spines, 1)
        ]
        ports += [Port(len(ports) + n) for n in range(FREE_PORTS)]
        leaf = Switch(f"leaf{k}", k, False, tuple(ports))
        files |= _files(system, leaf, lldp, hosts)
        for port in leaf.seen(hosts):
            own = KINDS[system].port(port.n)
            links.append(f"- [{leaf.name}:{own}, {port.peer}:{port.peer_port}]")
            if port.kind == "host":
                files |= _host(port, leaf, own if lldp else "")
    if plan:
        files["links.yaml"] = "\n".join(links) + "\n"
    return files


def _files(system: str, switch: Switch, lldp: bool, hosts: int) -> Files:
    files = {file_of(switch.name, system): KINDS[system].write(switch)}
    if lldp:
        command, head, row = _lldp(system.split("-", maxsplit=1)[0])
        rows = [
            row.format(**vars(port), port=KINDS[system].port(port.n), mac=_mac(port.peer))
            for port in switch.seen(hosts)
        ]
        top = f"# command: {command}  host: {switch.name}\n"
        files[f"switches/{switch.name}-lldp.txt"] = "".join([top, head, *rows])
    return files


def _host(port: Port, leaf: Switch, seen: str) -> Files:
    """The outputs of a host, with what its NIC sees if that is asked for."""
    name, mac = port.peer, _mac(port.peer)
    address = {"family": "inet", "local": port.far, "prefixlen": 31, "scope": "global"}
    shown = [{"ifindex": 2, "ifname": NIC, "address": mac, "addr_info": [address]}]
    files = {
        file: text.replace("94:6d:ae:00:00:01", mac) for file, text in snapshot(name).items()
    } | {
        f"hosts/{name}/ip-addr.json": f"# command: ip -j addr  host: {name}\n{json.dumps(shown)}\n"
    }
    if seen:
        chassis = {leaf.name: {"id": {"type": "mac", "value": _mac(leaf.name)}}}
        end = {"id": {"type": "ifname", "value": seen}, "ttl": "120"}
        found = {"lldp": {"interface": [{NIC: {"via": "LLDP", "chassis": chassis, "port": end}}]}}
        head = f"# command: lldpcli -f json show neighbors  host: {name}\n"
        files[f"hosts/{name}/lldpcli.json"] = f"{head}{json.dumps(found, indent=2)}\n"
    return files


def _mac(name: str) -> str:
    kind, number = name.rstrip("0123456789"), int(name.lstrip("spinelafgu"))
    return (
        f"94:6d:ae:0{('spine', 'leaf', 'gpu').index(kind)}:{number // 256:02x}:{number % 256:02x}"
    )


@cache
def _lldp(system: str) -> tuple[str, str, str]:
    """The LLDP command of a system, and the head and the rows of what it prints."""
    parts = (TEXTS / "lldp.txt").read_text().split("%% ")[1:]
    text = next(part for part in parts if part.startswith(f"{system}: "))
    command, _, printed = text.removeprefix(f"{system}: ").partition("\n")
    head, _, row = printed.partition("%\n")
    return command, head, row


# ------------------------------------------------------------------------------------------ writers


@cache
def _sections(name: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The sections of a template: kinds of ports, and text."""
    text = (TEXTS / f"{name}.txt").read_text()
    if "{head}" in text:
        text = text.replace("{head}", (HEADS / f"{name}.txt").read_text().split("%%")[0].rstrip())
    parts = f"%%\n{text}".split("%%")[1:]
    heads = [part.partition("\n") for part in parts]
    return tuple((tuple(head.split()), text) for head, _, text in heads)


def _lines(name: str, switch: Switch, call: Callable[[int], str]) -> Iterator[str]:
    loop: list[tuple[tuple[str, ...], str]] = []
    for kinds, text in (*_sections(name), ((), "")):
        if kinds:
            loop.append((kinds, text))
            continue
        for port in switch.ports if loop else ():
            words = {**vars(port), "port": call(port.n), "n1": port.n + 1}
            for names, each in loop:
                if port.kind in names:
                    yield _fill(_fill(each, words), switch.words())
        loop = []
        yield _fill(text, switch.words())


def _fill(text: str, words: dict[str, Any]) -> str:
    for word, value in words.items():
        text = text.replace(f"{{{word}}}", str(value))
    return text


def _of(name: str, suffix: str, call: Callable[[int], str]) -> Kind:
    return Kind(suffix, call, lambda switch: "".join(_lines(name, switch, call)))


def _sonic(switch: Switch) -> str:
    """The database of the mixed fabric without the rows of free ports, and with an identity."""
    words, used = switch.words(), [port for port in switch.ports if port.far]
    call, links = KINDS["sonic"].port, [port for port in used if port.kind == "link"]
    own = {call(port.n) for port in used}
    addresses = [f"{port.address}/31" for port in switch.ports]
    tables: dict[str, Any] = json.loads(sonic(switch.name, addresses))
    for table, rows in tables.items():
        if table != "PORT":
            keys = [key for key in rows if key.startswith("Ethernet")]
            for key in keys:
                if key.split("|")[0] not in own:
                    del rows[key]
    tables["DEVICE_METADATA"]["localhost"] |= {"bgp_asn": words["asn"]}
    for port in switch.ports:
        row = tables["PORT"][call(port.n)]
        if port.far:
            row["description"] = f"{port.peer}:{port.peer_port}"
        else:
            row["admin_status"] = "down"
    tables |= {
        "BGP_NEIGHBOR": {
            p.far: {"asn": str(p.far_as), "local_addr": p.address, "name": p.peer} for p in links
        },
        "DEVICE_NEIGHBOR": {call(p.n): {"name": p.peer, "port": p.peer_port} for p in used},
        "DEVICE_NEIGHBOR_METADATA": {
            p.peer: {"type": "LeafRouter" if switch.spine else "SpineRouter"} for p in links
        },
        "LOOPBACK_INTERFACE": {"Loopback0": {}, f"Loopback0|{words['router']}/32": {}},
        "MGMT_INTERFACE": {f"eth0|{words['management']}/24": {"gwaddr": "192.0.2.1"}},
        "NTP_SERVER": {"192.0.2.51": {}},
        "SNMP": {"LOCATION": {"Location": f"hall1 row2 {switch.name}"}},
        "SYSLOG_SERVER": {"192.0.2.50": {}},
    }
    return json.dumps(dict(sorted(tables.items())), indent=4) + "\n"


WORD = re.compile(r'"[^"]*"|\[[^\]]*\]|#.*|[{};]|[^\s{};"\[]+')


def _braces(template: Kind, indent: str, end: str) -> Kind:
    """Each statement on a line of its own, as a device prints what a template has more tightly."""

    def write(switch: Switch) -> str:
        lines, depth, words = [], indent, [""]
        for word in WORD.findall(template.write(switch)):
            if word == "}":
                depth = depth[4:]
            if word not in ("{", "}", ";") and word[0] != "#":
                words.append(word)
                continue
            last = {";": end, "{": " {"}.get(word, word)
            text, words = f"{' '.join(words[1:])}{last}", words[:1]
            if not end:  # a list has each of its values on a line of its own
                text = re.sub(r"\[ (\S+) \]", rf"[\n{depth}    \1\n{depth}]", text)
            lines.append(depth + text)
            if word == "{":
                depth += "    "
        return "\n".join(lines) + "\n"

    return Kind(template.suffix, template.port, write)


def _flat(word: str, kind: Kind) -> Kind:
    """The same configuration, each line with the words of the braces around it."""

    def write(switch: Switch) -> str:
        lines, path = [], [word]
        text = kind.write(switch)
        for row in _joined(text).splitlines():
            line, leaf = row.strip().rstrip(";"), " ".join(path)
            if line == "}":
                lines += [] if lines and f"{lines[-1]} ".startswith(f"{leaf} ") else [leaf]
                path.pop()
            elif line.endswith(" {"):
                path.append(line[:-2])
            elif listed := re.fullmatch(r"(\S+) \[ (.+ .+) \]", line):
                lines += [f"{leaf} {listed[1]} {value}" for value in listed[2].split()]
            elif not line.startswith("#"):
                lines.append(f"{leaf} {line}")
        return "\n".join(lines) + "\n"

    return Kind(kind.suffix, kind.port, write)


def _commands(switch: Switch) -> str:
    """The tree of startup.yaml as commands."""

    def walk(node: Any, path: str) -> Iterator[str]:
        if not isinstance(node, dict):
            yield f"{path} '{node}'" if " " in str(node) else f"{path} {node}"
        elif not node:
            yield path
        for key, value in node.items() if isinstance(node, dict) else ():
            yield from walk(value, f"{path} {key}")

    tree = yaml.load(KINDS["cumulus"].write(switch), yaml.BaseLoader)  # noqa: S506  (own text)
    return "\n".join(walk(tree[1]["set"], "nv set")) + "\n"


KEYS = {"subinterface": "index", "address": "ip-prefix", "dscp": "value", "group": "group-name",
        "wred-slope": "traffic-type", "remote-server": "host", "server": "address",
        "afi-safi": "afi-safi-name", "neighbor": "peer-address",
        "pfc-queue": "pfc-queue-name"}  # fmt: skip
"""The leaf by which the rows of a list of SR Linux are told apart, where it is not `name`."""
ROWS = {("/qos/interfaces", "interface"): "interface-id",
        ("/qos/pfc-mapping-profile/received-pfc-pause-frames", "queue"): "queue-name",
        ("/qos/interfaces/interface/output/queues", "queue"): "queue-name"}  # fmt: skip
"""The same at one place."""


def _json(switch: Switch) -> str:
    """The braces of SR Linux as JSON with the modules of its roots."""
    top: dict[str, Any] = {}
    path, nodes = [""], [top]
    for line in _joined(KINDS["srlinux"].write(switch)).splitlines():
        word, *rest = line.removesuffix("{").split(maxsplit=1)
        value, node = "".join(rest).strip(), nodes[-1]
        if word == "}":
            del path[-1], nodes[-1]
        elif not line.endswith("{"):
            many = value.startswith("[")
            node[word] = value.strip("[ ]").split() if many else _scalar(value.strip('"'))
        else:
            if value:
                key = ROWS.get((path[-1], word), KEYS.get(word, "name"))
                words = [key, *value.split()]
                row = {k: _scalar(v) for k, v in zip(words[::2], words[1::2], strict=True)}
                node.setdefault(word, []).append(row)
            else:
                row = node.setdefault(word, {})
            path.append(f"{path[-1]}/{word}")
            nodes.append(row)
    modules = {"interface": "interfaces"}
    tree = {f"srl_nokia-{modules.get(key, key)}:{key}": value for key, value in top.items()}
    return json.dumps(tree, indent=2) + "\n"


def _scalar(text: str) -> str | int | bool:
    return int(text) if text.isdigit() else {"true": True, "false": False}.get(text, text)


def _joined(text: str) -> str:
    """The lists of SR Linux on one line each."""
    return re.sub(r"\[\n\s+(\S+)\n\s+\]", r"[ \1 ]", text)


KINDS: dict[str, Kind] = {
    "eos": _of("eos", "cfg", lambda n: f"Ethernet{n + 1}/1"),
    "sonic": Kind("json", lambda n: f"Ethernet{8 * n}", _sonic),
    "nxos": _of("nxos", "cfg", lambda n: f"Ethernet1/{n + 1}"),
    "junos": _braces(_of("junos", "conf", lambda n: f"et-0/0/{n}"), "", ";"),
    "cumulus": _of("cumulus", "yaml", lambda n: f"swp{n + 1}"),
    "srlinux": _braces(_of("srlinux", "cfg", lambda n: f"ethernet-1/{n + 1}"), "    ", ""),
    "aoscx": _of("aoscx", "cfg", lambda n: f"1/1/{n + 1}"),
    "os10": _of("os10", "cfg", lambda n: f"ethernet1/1/{n + 1}"),
    "esonic": _of("esonic", "cfg", lambda n: f"Eth1/{n + 1}"),
    "iosxr": _of("iosxr", "cfg", lambda n: f"FourHundredGigE0/0/0/{n}"),
    "vrp": _of("vrp", "cfg", lambda n: f"400GE1/0/{n + 1}"),
    "comware": _of("comware", "cfg", lambda n: f"FourHundredGigE1/0/{n + 1}"),
}
KINDS |= {
    "junos-set": _flat("set", KINDS["junos"]),
    "srlinux-json": Kind("json", KINDS["srlinux"].port, _json),
    "srlinux-flat": _flat("set /", KINDS["srlinux"]),
    "cumulus-commands": Kind("txt", KINDS["cumulus"].port, _commands),
}
