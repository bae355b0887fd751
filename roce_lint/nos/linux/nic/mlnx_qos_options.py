"""The command line of mlnx_qos, taken apart as its Python option parser does."""

from __future__ import annotations

from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.host import whole
from roce_lint.text.numbers import real, whole_of

PRIORITIES = 8
GBPS = 1_000_000_000

LONG = (
    "pfc",
    "specific_pfc",
    "get_pfc",
    "prio_tc",
    "tsa",
    "tcbw",
    "ratelimit",
    "dcbx",
    "trust",
    "dscp2prio",
    "defltprio",
    "cable_len",
    "prio2buffer",
    "buffer_size",
    "interface",
    "help",
    "version",
)
"""Long options; `--help` and `--version` take no value."""

SHORT = {
    "f": "pfc",
    "F": "specific_pfc",
    "P": "get_pfc",
    "p": "prio_tc",
    "s": "tsa",
    "t": "tcbw",
    "r": "ratelimit",
    "d": "dcbx",
    "i": "interface",
    "a": "",
    "h": "help",
}
FLAGS = ("", "help", "version")

MEANT = {"tc_bw": "tcbw", "tc-bw": "tcbw", "prio-tc": "prio_tc", "cable-len": "cable_len"}
"""Names that tutorials use and the tool does not know."""

Options = list[tuple[str, str | None]]


def parse(words: Words) -> tuple[Options, str]:
    """Options with their values, and what the tool would refuse (it then does nothing at all)."""
    options: Options = []
    rest = [word or "" for word in words]
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            names = [known for known in LONG if known == name] or [
                known for known in LONG if name and known.startswith(name)
            ]
            if len(names) != 1:
                return [], _unknown(word, names)
            name = names[0]
        elif word.startswith("-") and len(word) > 1:
            if word[1] not in SHORT:
                return [], _unknown(word, [])
            name, value = SHORT[word[1]], word[2:]
            equals = value
        else:
            return [], f"{word} is neither an option nor the value of one"
        if name in FLAGS:
            continue
        if not equals:
            if not rest:
                return [], f"{word} lacks its value"
            value = rest.pop(0)
        options.append((name, value or None))
    return options, ""


def _unknown(word: str, candidates: list[str]) -> str:
    name = word.lstrip("-").split("=")[0]
    if candidates:
        return f"{word} could be --{' or --'.join(candidates)}"
    hint = f" (it is --{MEANT[name]})" if name in MEANT else ""
    return f"has no option {word.split('=', maxsplit=1)[0]}{hint}"


def without_unknown(words: Words) -> Words:
    """The words with values that only the running script knows left empty.

    A word in a place where an option may stand cannot be judged: it and all behind it are left
    out.
    """
    kept: list[str | None] = []
    takes_value = False
    for word in words:
        if word is None and not takes_value:
            break
        kept.append(word)
        text = word or ""
        takes_value = (
            not takes_value
            and text.startswith("-")
            and "=" not in text
            and text not in ("-a", "-h")
        )
    if kept and takes_value:
        kept.pop()
    return tuple(kept)


def apply(setter: Setter, port: str | None, name: str, value: str) -> None:
    """What one option sets."""
    items = value.split(",")
    if name in LISTS:
        _list(setter, port, name, items)
    elif name == "specific_pfc":
        bits: dict[int, object] = {
            n: whole_of(bit) for n, bit in enumerate(items[:PRIORITIES]) if bit in ("0", "1")
        }
        setter.port_table(port, "PFC", bits, whole_table=False)
    elif name == "trust":
        trusts = ({"pcp": "pcp", "dscp": "dscp"}.get, "pcp or dscp")
        setter.port(port, "trust", setter.take("--trust", value, *trusts, port, "trust"))
    elif name == "dscp2prio":
        _dscp2prio(setter, port, items)
    elif name == "cable_len":
        metres = (lambda text: whole(text, 0, 0xFFFF), "0 to 65535 metres")
        length = setter.take("--cable_len", value, *metres)
        setter.port(port, "cable length", None if length is None else real(length))
    elif name == "defltprio":
        _defltprio(setter, port, items)
    elif name == "dcbx" and value != "get":
        controls = {"os": "os", "fw": "firmware"}.get
        control = setter.take("--dcbx", value, controls, "os or fw", port, "dcbx control")
        setter.port(port, "dcbx control", control)


def refuse_together(setter: Setter, port: str | None, options: Options) -> Options:
    """The options without those that the tool refuses beside each other: it ends at them."""
    given = {name: value or "" for name, value in options}
    if {"trust", "dscp2prio"} <= given.keys():
        message, refused = "takes --trust and --dscp2prio in two commands", {"trust", "dscp2prio"}
        setter.wrong(message, port, "trust", "DSCP to priority")
        return [(name, value) for name, value in options if name not in refused]
    kinds, shares = given.get("tsa", "").split(","), given.get("tcbw", "").split(",")
    numbers = [whole(share, 0, 100) or 0 for share in shares]
    if len(kinds) == len(numbers) == PRIORITIES and "ets" in kinds:
        of_ets = sum(number for kind, number in zip(kinds, numbers, strict=True) if kind == "ets")
        if of_ets != 100 or sum(numbers) != 100:
            message = f"--tcbw takes 100 in all for classes with ets, not {','.join(shares)}"
            setter.wrong(message, port, "class scheduling", "class bandwidth")
            return [(name, value) for name, value in options if name not in ETS]
    return options


ETS = ("tsa", "tcbw", "prio_tc")
"""Options that the tool sets at once."""

LISTS = {
    "pfc": ("PFC", 1),
    "prio_tc": ("priority to class", 7),
    "prio2buffer": ("priority to buffer", 7),
    "buffer_size": ("buffer size", 1 << 31),
    "tcbw": ("class bandwidth", 100),
    "tsa": ("class scheduling", 0),
    "ratelimit": ("class rate limit", 1 << 20),
}
"""Options that take a value for each priority, class or buffer, and the highest value."""

KINDS = {kind: kind for kind in ("strict", "ets", "vendor")}
"""Names of transmission selection algorithms."""

EXACTLY_EIGHT = ("pfc", "prio_tc")


def _list(setter: Setter, port: str | None, name: str, items: list[str]) -> None:
    what, highest = LISTS[name]
    if len(items) > PRIORITIES or (name in EXACTLY_EIGHT and len(items) != PRIORITIES):
        setter.wrong(f"--{name} wants 8 values, {','.join(items)} has {len(items)}", port, what)
        return
    entries: dict[int, object] = {}
    for number, text in enumerate(items):
        stated = KINDS.get(text) if name == "tsa" else whole(text, 0, highest)
        if stated is None:
            setter.wrong(f"--{name} cannot take {text!r}", port, what)
            return
        if isinstance(stated, str):
            entries[number] = stated
        else:
            entries[number] = stated * GBPS or None if name == "ratelimit" else stated
    setter.port_table(port, what, entries, whole_table=len(entries) == PRIORITIES)


def _dscp2prio(setter: Setter, port: str | None, items: list[str]) -> None:
    """`set,26,3`; `del` and `flush` take entries back, which are then not known from here."""
    if items[0] in ("del", "flush"):
        return
    to = (port, "DSCP to priority")
    if items[0] != "set" or len(items) != 3:
        given = ",".join(items)
        setter.wrong(f"--dscp2prio takes set,DSCP,PRIORITY or del,DSCP,PRIORITY, not {given}", *to)
        return
    dscp, priority = whole(items[1], 0, 63), whole(items[2], 0, 7)
    if dscp is None or priority is None:
        setter.wrong(f"--dscp2prio {','.join(items)} is out of range", *to)
    else:
        setter.port_table(port, "DSCP to priority", {dscp: priority}, whole_table=False)


def _defltprio(setter: Setter, port: str | None, items: list[str]) -> None:
    """`set,2`; `del` takes it back, and what holds then is not known from here."""
    level = whole(items[-1], 0, 7)
    if items[0] == "set" and len(items) == 2 and level is not None:
        setter.port(port, "default priority", level)
    elif items[0] != "del":
        setter.wrong(f"--defltprio takes set,PRIORITY or del,PRIORITY, not {','.join(items)}")
