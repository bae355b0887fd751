"""Kubernetes manifests: variables and commands of workloads, policies for adapters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.dcb import PRIORITIES
from roce_lint.nos.linux.declared.scripts import ScriptReader
from roce_lint.nos.linux.environment import KEPT, state_variable
from roce_lint.nos.linux.host import Host, whole, witness
from roce_lint.nos.linux.tables import Table, line_of
from roce_lint.nos.reading import Input, Value
from roce_lint.text.shell import parse_script

Keys = tuple[Hashable, ...]

DEPTH = 40
"""Levels of a manifest that are searched; a pod template in a list of jobs has some fifteen."""


def read_manifest(host: Host, entry: Input) -> None:
    """Take in one object. What it says of anything but RDMA is passed over."""
    data = entry.tree
    if not isinstance(data, dict):
        return
    listed = data.get("items")
    if data.get("kind") == "List" and isinstance(listed, list):
        for row, each in enumerate(listed):
            if isinstance(each, dict):
                _Object(host, entry, ("items", row), each).read()
    else:
        _Object(host, entry, (), data).read()


class _Object:
    """One object of a manifest."""

    def __init__(self, host: Host, entry: Input, keys: Keys, data: dict[str, Any]):
        self.host = host
        self.entry = entry
        self.keys = keys
        self.data = data
        self.who: Witness = witness(entry)
        self.reader = ScriptReader(host, self.who)

    @property
    def name(self) -> str:
        """The object's name."""
        metadata = self.data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return str(name or self.data.get("kind"))

    def read(self) -> None:
        """State what the object says."""
        policy = POLICIES.get(str(self.data.get("kind")))
        if policy is not None:
            policy(self)
        else:
            for keys, node in _mappings(self.data, ()):
                self._container(keys, node)
            if self.data.get("kind") == "ConfigMap":
                self._read_config_map()
        self.reader.finish()

    def _container(self, keys: Keys, node: dict[Any, Any]) -> None:
        """Variables and commands, wherever a container (or its template) stands."""
        variables = node.get("env")
        for row, each in enumerate(variables if isinstance(variables, list) else ()):
            if isinstance(each, dict) and isinstance(each.get("value"), str):
                place = (*keys, "env", row, "value")
                self._variable(str(each.get("name")), each["value"], place)
        for key in ("command", "args"):
            listed = node.get(key)
            for row, word in enumerate(listed if isinstance(listed, list) else ()):
                if isinstance(word, str):
                    self._word(word, (*keys, key, row))

    def _word(self, word: str, place: Keys) -> None:
        """A word of a command: `NCCL_IB_TC=41` behind `-x`, or a whole script behind `-c`."""
        name, equals, value = word.partition("=")
        if equals and KEPT.fullmatch(name):
            self._variable(name, value, place)
        elif " " in word.strip():
            self._script(word, place, exported_only=True)

    def _read_config_map(self) -> None:
        """What a ConfigMap holds: variables by their names, scripts, and files of variables."""
        data = self.data.get("data")
        for key, text in data.items() if isinstance(data, dict) else ():
            if isinstance(text, str) and KEPT.fullmatch(str(key)):
                self._variable(str(key), text.strip(), ("data", key))
            elif isinstance(text, str) and "=" in text:
                self._script(text, ("data", key), exported_only=False)

    def _script(self, text: str, place: Keys, *, exported_only: bool) -> None:
        """A script in one value: all of it stands at one place."""
        position = self._spot(*place)
        script = parse_script(text.split("\n"))
        plain = not exported_only and not script.commands  # a file of variables
        for found in script.assignments:
            if plain or found.exported:
                self.reader.assign(found, position)
        self.reader.run(script.commands, position - 1, 0, 1)
        self.host.mark(self.entry, *self.keys, *place)

    def _variable(self, name: str, text: str, place: Keys) -> None:
        state_variable(self.host, name, Value(text, self._spot(*place)), self.who)
        self.host.mark(self.entry, *self.keys, *place)

    def _spot(self, *keys: Hashable) -> int:
        return self.host.spot(self.entry, *self.keys, *keys)

    def say(self, what: str, value: object, *keys: Hashable) -> None:
        """A policy states a field of the interfaces it is for, under the policy's own name."""
        position = self.host.at(self.entry, *self.keys, *keys)
        self.host.port(self.name, what, Value(value, position), self.who)

    def say_table(self, what: str, entries: dict[int, Any], *keys: Hashable) -> None:
        """A policy states a map of the interfaces it is for."""
        position = self.host.at(self.entry, *self.keys, *keys)
        self.host.port_table(self.name, what, Table(entries, line_of(position)), self.who)

    def bad(self, message: str, *keys: Hashable) -> None:
        """A policy states what its operator would refuse."""
        position = self.host.at(self.entry, *self.keys, *keys)
        self.host.reading.note(NoteKind.BAD_VALUE, f"{self.name}: {message[:80]}", position)

    def node(self, *keys: str) -> Any:
        """What stands below."""
        data: Any = self.data
        for key in keys:
            data = data.get(key) if isinstance(data, dict) else None
        return data


def _mappings(data: Any, keys: Keys) -> Iterator[tuple[Keys, dict[Any, Any]]]:
    """Every mapping of a tree, with its path."""
    stack: list[tuple[Keys, Any]] = [(keys, data)]
    while stack:
        path, node = stack.pop()
        if len(path) > DEPTH:
            continue
        if isinstance(node, dict):
            yield path, node
            stack += [((*path, key), child) for key, child in reversed(node.items())]
        elif isinstance(node, list):
            stack += [((*path, row), child) for row, child in reversed(list(enumerate(node)))]


def _sriov_policy(item: _Object) -> None:
    """SriovNetworkNodePolicy: the MTU of the virtual functions, and the ports it names with or
    without a range of functions (`ens1f0#0-3`); 0 leaves the MTU as it is.
    """
    given = item.node("spec", "mtu")
    mtu = whole(str(given or ""), 68, 1 << 17)
    if mtu is not None:
        item.say("MTU", mtu, "spec", "mtu")
        named = item.node("spec", "nicSelector", "pfNames")
        names = tuple(str(n).partition("#")[0] for n in named) if isinstance(named, list) else ()
        if names:
            item.say("other names", names, "spec", "nicSelector", "pfNames")
    elif given:
        item.bad(f"mtu {given} is no MTU", "spec", "mtu")


ROCE = ("spec", "template", "roceOptimized")
YES = ("true", "yes", "on")


def _nic_template(item: _Object) -> None:
    """NicConfigurationTemplate: trust, PFC and traffic class while RoCE is optimized."""
    if str(item.node(*ROCE, "enabled")).lower() not in YES:
        return
    item.host.mark(item.entry, *item.keys, *ROCE, "enabled")
    trust = item.node(*ROCE, "qos", "trust")
    if trust in ("dscp", "pcp"):
        item.say("trust", trust, *ROCE, "qos", "trust")
    elif trust is not None:
        item.bad(f"trust {trust} is neither dscp nor pcp", *ROCE, "qos", "trust")
    pfc = item.node(*ROCE, "qos", "pfc")
    bits = {n: whole(text, 0, 1) for n, text in enumerate(str(pfc or "").split(","))}
    if len(bits) == PRIORITIES and None not in bits.values():
        item.say_table("PFC", bits, *ROCE, "qos", "pfc")
    elif pfc is not None:
        item.bad(f"pfc {pfc} is no 0 or 1 for each of 8 priorities", *ROCE, "qos", "pfc")


POLICIES: dict[str, Callable[[_Object], None]] = {
    "SriovNetworkNodePolicy": _sriov_policy,
    "NicConfigurationTemplate": _nic_template,
    "NicClusterPolicy": lambda _item: None,
}
"""Objects that configure adapters; all others are searched for variables and commands."""
