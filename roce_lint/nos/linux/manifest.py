"""Kubernetes manifests, and job variables in other trees and templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from roce_lint.catalog.applications import CLASS_BYTE, names_pattern, row_of
from roce_lint.errors import ReadError
from roce_lint.model.nic import AdapterPolicy, AddressPool
from roce_lint.nos.linux import defaults
from roce_lint.nos.linux.claims import Table, Witness, line_of
from roce_lint.nos.linux.dcb import PRIORITIES
from roce_lint.nos.linux.declared.scripts import ScriptReader
from roce_lint.nos.linux.environment import state_variable
from roce_lint.nos.linux.host import Host, whole, witness
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text import json_text
from roce_lint.text.environment import quoted
from roce_lint.text.numbers import real
from roce_lint.text.shell import parse_script

Keys = tuple[Hashable, ...]

# Job variables in files other than shell scripts: values of Helm, vars and templates of Ansible,
# compose files. Literal values are those of the jobs; values filled in later are unknown.

DEPTH = 40
"""Levels of a tree that are searched; a pod template in a list of jobs has some fifteen."""

_OPEN = re.compile(r"\{\{|\{%|\$[({A-Za-z_]|^<.*>$|^[|>&*!]|^$")
"""Marks of a value that is filled in later, or is not on this line."""

_VALUE = r"(?P<value>\"[^\"]*\"|'[^']*'|\{\{.*?\}\}|[^\s,;\"'}\]]*)"
_NAME = rf"[\"']?(?P<name>{names_pattern()})[\"']?"
_PAIR_NAME = re.compile(rf"[\"']?\b(?:name|option)[\"']?\s*:\s*{_NAME}\s*(?=$|[,}}])")
_PAIR_VALUE = re.compile(rf"[\"']?\bvalue[\"']?\s*:\s*{_VALUE}")
_ASSIGNED = re.compile(rf"(?<![\w-]){_NAME}\s*(?::\s|=)\s*{_VALUE}")
_TEMPLATE_COMMENT = re.compile(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}|\{#.*?#\}", re.DOTALL)


def mappings(data: Any) -> Iterator[tuple[Keys, dict[Any, Any]]]:
    """Every mapping of a tree, with its path."""
    stack: list[tuple[Keys, Any]] = [((), data)]
    while stack:
        path, node = stack.pop()
        if len(path) > DEPTH:
            continue
        if isinstance(node, dict):
            yield path, node
            stack += [((*path, key), child) for key, child in reversed(node.items())]
        elif isinstance(node, list):
            stack += [((*path, row), child) for row, child in reversed(list(enumerate(node)))]


def read_mapping(host: Host, entry: Input, keys: Keys, node: dict[Any, Any], who: Witness) -> None:
    """Read the variables of one mapping: keys that are names, and `name` with `value`."""
    named = (str(node.get("name", node.get("option"))), "value")
    for name, key in [named, *((str(key), key) for key in node)]:
        text = node.get(key)
        if isinstance(text, str) and row_of(name) is not None:
            _state(host, name, text.strip(), host.spot(entry, *keys, key), who)
            host.mark(entry, *keys, key)


def read_tree(host: Host, entry: Input) -> None:
    """Read the variables of a whole tree."""
    for keys, node in mappings(entry.tree):
        read_mapping(host, entry, keys, node, witness(entry))


def read_variable_lines(host: Host, entry: Input) -> None:
    """Read variables line by line, since an unfilled template is not a tree."""
    who = witness(entry)
    text = _TEMPLATE_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), entry.text.text)
    name = value = ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.lstrip()
        if bare.startswith(("#", "//")):
            continue
        if bare.startswith("-") or not bare:
            name = value = ""
        found, given = _PAIR_NAME.search(line), _PAIR_VALUE.search(line)
        name, value = found["name"] if found else name, given["value"] if given else value
        if (found or given) and name and value:
            _state(host, name, value, host.line(entry, number), who)
            name = value = ""
        for each in () if found or given else _ASSIGNED.finditer(line):
            _state(host, each["name"], each["value"], host.line(entry, number), who)


def _state(host: Host, name: str, text: str, position: int, who: Witness) -> None:
    """Record a variable; one filled in later is reported if it marks packets."""
    bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
    left = _OPEN.search(bare) is not None
    row = row_of(name)
    if left and bare and row is not None and row.kind == CLASS_BYTE:
        host.bad(f"{name} is {quoted(bare)[:60]}", position)
    state_variable(host, name, Value(None if left else bare, position), who)


# Kubernetes manifests.


def read_manifest(host: Host, entry: Input) -> None:
    """Read one object; anything but RDMA is skipped."""
    objects: list[tuple[Keys, Any]] = [((), entry.tree)]
    data = entry.tree if isinstance(entry.tree, dict) else {}
    if data.get("kind") == "List" and isinstance(listed := data.get("items"), list):
        objects = [(("items", row), each) for row, each in enumerate(listed)]
    for keys, each in objects:
        if isinstance(each, dict):
            _Object(host, entry, keys, each).read()


class _Object:
    """One object of a manifest."""

    def __init__(self, host: Host, entry: Input, keys: Keys, data: dict[str, Any]):
        self.host, self.entry, self.keys, self.data = host, entry, keys, data
        self.name = str(self.node("metadata", "name") or data.get("kind"))
        self.who: Witness = witness(entry)
        self.reader = ScriptReader(host, self.who)

    def read(self) -> None:
        """Record the statements of the object."""
        policy = POLICIES.get(str(self.data.get("kind")))
        if policy is not None:
            policy(self)
        else:
            for keys, node in mappings(self.data):
                self._container(keys, node)
            files = self.data.get("data") if self.data.get("kind") == "ConfigMap" else None
            for key, text in files.items() if isinstance(files, dict) else ():
                if isinstance(text, str) and "=" in text and row_of(str(key)) is None:
                    self._script(text, ("data", key), exported_only=False)
        self.reader.finish()

    def _container(self, keys: Keys, node: dict[Any, Any]) -> None:
        """Read variables and commands of a container (or its template) at any place."""
        read_mapping(self.host, self.entry, (*self.keys, *keys), node, self.who)
        for key in ("command", "args"):
            listed = node.get(key)
            for row, word in enumerate(listed if isinstance(listed, list) else ()):
                if isinstance(word, str):
                    self._word(word, (*keys, key, row))

    def _word(self, word: str, place: Keys) -> None:
        """Read a word of a command: `NCCL_IB_TC=41` after `-x`, or a whole script after `-c`."""
        name, equals, value = word.partition("=")
        if equals and row_of(name) is not None:
            state_variable(self.host, name, Value(value, self._spot(*place)), self.who)
            self.host.mark(self.entry, *self.keys, *place)
        elif " " in word.strip():
            self._script(word, place, exported_only=True)

    def _script(self, text: str, place: Keys, *, exported_only: bool) -> None:
        """Read a script in one value: all of it has one position."""
        position = self._spot(*place)
        script = parse_script(text.split("\n"))
        plain = not exported_only and not script.commands  # a file of variables
        for found in script.assignments:
            if plain or found.exported:
                self.reader.assign(found, position)
        self.reader.run(script.commands, position - 1, 1)
        self.host.mark(self.entry, *self.keys, *place)

    def _spot(self, *keys: Hashable) -> int:
        return self.host.spot(self.entry, *self.keys, *keys)

    def state(self, what: str, value: object, *keys: Hashable) -> None:
        """Record a field of the policy's interfaces, under the policy's name."""
        self.host.port(self.name, what, Value(value, self.place(*keys)), self.who)

    def bad(self, message: str, *keys: Hashable) -> None:
        """Note a value that the operator would refuse."""
        self.host.bad(f"{self.name}: {message[:80]}", self.place(*keys))

    def node(self, *keys: str) -> Any:
        """The value below."""
        data: Any = self.data
        for key in keys:
            data = data.get(key) if isinstance(data, dict) else None
        return data

    def choice(self, choices: dict[str, Any], *keys: str) -> Value[Any]:
        """One of the values that the operator accepts; others are noted."""
        text = self.node(*keys)
        found = choices.get(str(text).lower())
        if found is None and text is not None:
            self.bad(f"{keys[-1]} {text} is none of {', '.join(choices)}", *keys)
        return ABSENT if found is None else Value(found, self.place(*keys))

    def place(self, *keys: Hashable) -> int:
        """Position of a value, which counts as read."""
        return self.host.at(self.entry, *self.keys, *keys)

    def policy(self, **fields: Any) -> None:
        """Record a setting of adapters that names no port."""
        given = self.node("spec", "nodeSelector")
        labels = given.items() if isinstance(given, dict) else ()
        left = {str(key): str(value) for key, value in labels if not EVERY_NODE.fullmatch(str(key))}
        node = left.get(HOSTNAME) if len(left) == 1 else None if left else ""
        begin, fields = self.place("metadata", "name"), {"name": self.name, "node": node, **fields}
        self.host.policies.append(self.host.reading.build(AdapterPolicy, begin, **fields))


HOSTNAME = "kubernetes.io/hostname"
EVERY_NODE = re.compile(
    r"kubernetes\.io/(?:os|arch)|node-role\.kubernetes\.io/(?:worker|node)"
    r"|feature\.node\.kubernetes\.io/(?:network-sriov\.capable|pci-15b3\.present|rdma\.capable)"
)
"""Labels of all nodes with RDMA adapters (docs/nos/linux.md, objects of a cluster)."""


SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

DRIVERS = {"netdevice": False, "vfio-pci": True}
"""Drivers of virtual functions, and whether each one detaches them from the kernel."""

_PORT_NAME = re.compile(r"[\w.:@-]+")


def _sriov_policy(item: _Object) -> None:
    """SriovNetworkNodePolicy: the MTU of the virtual functions, their driver and RDMA devices, and
    the ports it names with or without a range of functions (`ens1f0#0-3`); 0 keeps the MTU.
    """
    of_ports = ("spec", "nicSelector", "pfNames")
    listed = item.node(*of_ports)
    names = tuple(str(n).partition("#")[0] for n in listed) if isinstance(listed, list) else ()
    if odd := [name for name in names if not _PORT_NAME.fullmatch(name)]:
        item.bad(f"{odd[0]} is no name of an interface", *of_ports)
        names = ()
    given = item.node("spec", "mtu")
    mtu = whole(str(given or ""), 68, 1 << 17)
    if mtu is not None:
        item.state("MTU", mtu, "spec", "mtu")
        if names:
            item.state("other names", names, *of_ports)
    elif given:
        item.bad(f"mtu {given} is no MTU", "spec", "mtu")
    rdma, driver = item.choice(SWITCH, "spec", "isRdma"), item.choice(DRIVERS, "spec", "deviceType")
    if item.node("spec", "isRdma") is None:
        rdma = item.host.reading.default(defaults.FUNCTIONS_WITHOUT_RDMA)
    if item.node("spec", "deviceType") is None:
        driver = Value(value=False)
    ports = Value(names, item.place(*of_ports)) if names else ()
    item.policy(ports=ports, rdma=rdma, handed_over=driver)


ROCE = ("spec", "template", "roceOptimized")
QOS = (*ROCE, "qos")


def _nic_template(item: _Object) -> None:
    """NicConfigurationTemplate: RoCE settings of adapter ports while it is enabled."""
    if item.choice(SWITCH, *ROCE, "enabled").value is not True:
        return
    if trust := item.choice({"dscp": "dscp", "pcp": "pcp"}, *QOS, "trust"):
        item.state("trust", trust.value, *QOS, "trust")
    pfc = item.node(*QOS, "pfc")
    bits = {n: whole(text, 0, 1) for n, text in enumerate(str(pfc or "").split(","))}
    if len(bits) == PRIORITIES and None not in bits.values():
        table = Table(bits, line_of(item.place(*QOS, "pfc")))
        item.host.port_table(item.name, "PFC", table, item.who)
    elif pfc is not None:
        item.bad(f"pfc {pfc} is no 0 or 1 for each of 8 priorities", *QOS, "pfc")
    if metres := whole(str(item.node(*QOS, "cableLen") or ""), 0, 0xFFFF):
        item.state("cable length", real(metres), *QOS, "cableLen")
    pause = item.choice(SWITCH, *QOS, "pauseFrames", "enabled")
    for direction in ("RX", "TX") if pause else ():
        item.state(f"{direction} pause", pause.value, *QOS, "pauseFrames", "enabled")
    item.policy(roce_version=item.choice({"1": 1, "2": 2}, *ROCE, "roceMode"))


_SUBNET = re.compile(r"[0-9a-fA-F.:]+/\d{1,3}")


def _network(item: _Object) -> None:
    """A network of pods: the addresses that each node assigns locally (`host-local`). Objects of
    operators hold only the address part.
    """
    keys = ("spec", "ipam" if item.node("spec", "ipam") else "config")
    text = item.node(*keys)
    try:
        found, _ = json_text.parse(item.name, text if isinstance(text, str) else "{}")
    except ReadError:
        item.bad(f"{keys[-1]} is no JSON: {text.strip()}", *keys)
        return
    parts = [part for _, part in (*mappings(found), *mappings(item.node("spec")))]
    types = {str(part.get("type")) for part in parts}
    master = next((str(part["master"]) for part in parts if part.get("master")), None)
    known = master or keys[-1] == "ipam" or types & {"sriov", "host-device"}
    ranges = tuple(_range(item, part, *keys) for part in parts if "subnet" in part)
    if "host-local" in types and "bridge" not in types and known and ranges and all(ranges):
        begin, stated = item.place("metadata", "name"), Value(ranges, item.place(*keys))
        fields = {"network": item.name, "ranges": stated, "master": master}
        item.host.pools.append(item.host.reading.build(AddressPool, begin, **fields))


def _range(item: _Object, part: dict[Any, Any], *keys: str) -> str:
    """One range with its ends; empty if each node has its own subnet (`usePodCidr`)."""
    subnet, *ends = (str(part[k]) for k in ("subnet", "rangeStart", "rangeEnd") if k in part)
    if _SUBNET.fullmatch(subnet):
        return " ".join((subnet, *ends))
    if subnet != "usePodCidr":
        item.bad(f"{subnet} is no subnet", *keys)
    return ""


POLICIES: dict[str, Callable[[_Object], None]] = {
    "SriovNetworkNodePolicy": _sriov_policy,
    "NicConfigurationTemplate": _nic_template,
    "NicClusterPolicy": lambda _item: None,
    "NetworkAttachmentDefinition": _network,
    **dict.fromkeys(("SriovNetwork", "HostDeviceNetwork", "MacvlanNetwork"), _network),
}
"""Objects that configure adapters or their networks; others are searched for variables."""
