"""The other ends of a host's ports, as `lldpcli` prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roce_lint.model.device import NoteKind
from roce_lint.nos.heard import Heard
from roce_lint.nos.linux.host import AGENT, Host, witness
from roce_lint.nos.lldpcli import read_keys, read_text, read_tree
from roce_lint.nos.places import Places
from roce_lint.nos.reading import Input, Value


def read_neighbors(host: Host, entry: Input) -> None:
    """Take in `lldpcli -f json` or `-f json0 show neighbors`, with or without details."""
    if isinstance(entry.tree, dict) and entry.tree.get("lldp") is not None:
        _say_agent(host, entry, host.spot(entry, "lldp"))
    _hear(host, entry, read_tree)


def read_lines(host: Host, entry: Input) -> None:
    """Take in `lldpcli show neighbors` or `lldpctl` as text."""
    _hear(host, entry, read_text)


def read_keyvalue(host: Host, entry: Input) -> None:
    """Take in `lldpcli -f keyvalue show neighbors`, with or without details."""
    _hear(host, entry, read_keys)


def leave_other(host: Host, entry: Input) -> None:
    """Say that neighbours in another form are not read: links and DCBX would come from them."""
    host.reading.note(
        NoteKind.UNRECOGNISED,
        "this form of lldpcli is not read; save `lldpcli -f json0 show neighbors details`",
        host.reading.src.files[entry.file].first + 1,
    )


def _hear(host: Host, entry: Input, read: Callable[[Places, Input], Iterator[Heard]]) -> None:
    for heard in read(host, entry):
        found = host.hear(str(heard.port.value), heard)
        if found is not None:
            begin = found.at[""]
            if entry.tree is None:
                _say_agent(host, entry, begin)
            value = Value(value=True, position=begin)
            host.port(str(heard.port.value), "heard", value, witness(entry))


def _say_agent(host: Host, entry: Input, position: int) -> None:
    """An answer of lldpcli comes from lldpd, which tells neighbours of every port itself."""
    host.claims.say(AGENT, "lldpd", "line", Value(value=True, position=position), witness(entry))
