"""Setup commands of a host in scripts and units, and the fields they set."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

from roce_lint.model.units import parse_dscp
from roce_lint.nos.heard import DSCP_SELECTOR
from roce_lint.nos.linux import dcb, packet_marks
from roce_lint.nos.linux.declared.setter import Setter, Words, assignments, getopts
from roce_lint.nos.linux.environment import state_variable
from roce_lint.nos.linux.host import KERNEL, MODULE, NO_TOS, STORAGE, nic_name, whole
from roce_lint.nos.linux.links import FECS, ON_OFF
from roce_lint.nos.linux.lldptool import record_settings
from roce_lint.nos.linux.nic import amd, broadcom, mlnx_qos
from roce_lint.nos.linux.nic.mlxconfig import state_parameter
from roce_lint.nos.linux.sysfs import KERNEL_SETTING
from roce_lint.nos.reading import Value
from roce_lint.text.numbers import whole_of
from roce_lint.text.shell_nesting import LAUNCHERS

TYPOGRAPHIC = re.compile(r"[\u2010-\u2015\u2212\u00ad\u2018-\u201f\u00a0\u200b]")
"""Typographic dashes, quotes and blanks in place of the ASCII that a shell requires."""


def has_typographic(setter: Setter, words: Words) -> bool:
    """Whether a word has a non-ASCII dash or quote, which invalidates the command; noted."""
    for word in words:
        if found := TYPOGRAPHIC.search(word or ""):
            name = unicodedata.name(found[0], "no ASCII sign").lower()
            setter.wrong(f"{word} holds a sign that is not ASCII ({name}), which the tool misreads")
            return True
    return False


def set_mlnx_qos(setter: Setter, words: Words) -> None:
    """`mlnx_qos -i DEV [options]`."""
    if None in words:
        words = mlnx_qos.without_unknown(words)
    options, problem = mlnx_qos.parse_options(words)
    if problem:
        setter.wrong(problem)
        return
    port = next((value for name, value in options if name == "interface"), None)
    for name, value in mlnx_qos.refuse_together(setter, port, options):
        if value is not None:
            mlnx_qos.apply_options(setter, port, name, value)


def set_dcb(setter: Setter, words: Words) -> None:
    """`dcb OBJECT set|add|replace dev DEV ...`, and `dcb app flush dev DEV [dscp-prio]`."""
    rest = [word for word in words if not (word or "").startswith("-")]
    if rest[:3] == ["app", "flush", "dev"] and rest[4:] in ([], ["dscp-prio"]):
        setter.port_table(rest[3], "DSCP to priority", {}, whole_table=True)
    if len(rest) < 4 or rest[1] not in ("set", "add", "replace") or rest[2] != "dev":
        return
    subject, port = rest[0], rest[3]
    groups: dict[str, list[str | None]] = {}
    current: list[str | None] = []
    for word in rest[4:]:
        if word is not None and word in DCB_PARAMETERS:
            current = groups.setdefault(word, [])
        elif not groups and word is not None and subject != "dcbx":
            setter.wrong(f"{subject} has no parameter {word}")
            return
        current.append(word)
    for parameter, values in groups.items():
        _dcb_parameter(setter, port, parameter, values[1:])


DCB_PARAMETERS = {
    *dcb.TEXT_TABLES, "dscp-prio", "default-prio", "willing", "order", "delay", "macsec-bypass",
    "reco-tc-tsa", "reco-tc-bw", "reco-prio-tc", "ethtype-prio", "stream-port-prio",
    "dgram-port-prio", "port-prio", "pcp-prio", "prio-dscp", "prio-pcp", "tc-maxrate",
}  # fmt: skip
"""Parameters of `dcb ... set`, from dcb-pfc(8) and related pages."""

_TRUSTS = {("dscp",): "dscp", ("pcp",): "pcp", ("dscp", "pcp"): "both"}


def _dcb_parameter(
    setter: Setter, port: str | None, parameter: str, values: list[str | None]
) -> None:
    if parameter == "default-prio" and values:
        setter.port(port, "default priority", dcb.priority(values[0] or ""))
    if parameter == "order":
        setter.port(port, "trust", _TRUSTS.get(tuple(word or "" for word in values)))
        for word in values:
            setter.take("order", word, {"dscp": 1, "pcp": 1}.get, "dscp and pcp", port, "trust")
    is_dscp = parameter == "dscp-prio"
    if not is_dscp and parameter not in dcb.TEXT_TABLES:
        return
    what, convert = dcb.TEXT_TABLES.get(parameter, ("DSCP to priority", dcb.priority))
    entries: dict[int, object] = {}
    for word in values:
        left, _, right = (word or "").partition(":")
        value = convert(right)
        keys = range(8) if left == "all" and not is_dscp else ()
        number = parse_dscp(left) if is_dscp else whole(left, 0, 7)
        is_name = is_dscp and left[:1].isalpha()  # names are defined in a file of the host
        if value is None or (number is None and not keys and not is_name):
            if word is not None and parameter != "buffer-size":  # which has units besides
                setter.wrong(f"{parameter} cannot take {word}", port, what)
                return  # the tool ends at it and sets nothing
            continue
        entries |= dict.fromkeys(keys or ([] if number is None else [number]), value)
    setter.port_table(port, what, entries, whole_table=not is_dscp and len(entries) == 8)


CMA = {
    "cma_roce_tos": ("t", "rdma_cm ToS", {str(n): n for n in range(256)}),
    "cma_roce_mode": ("m", "RoCE version", {"1": 1, "2": 2}),
}
"""Tools that set a default of rdma_cm: the option with its value, the field and the values."""


def set_cma(setter: Setter, words: Words) -> None:
    """`cma_roce_tos -d DEV -p PORT -t TOS`; the default device is mlx5_0."""
    letter, what, values = CMA[setter.tool]
    options = dict(getopts(words, f"dp{letter}"))
    text = options.get(letter)
    device, number = options.get("d", "mlx5_0"), options.get("p", "1")
    if text is not None and text not in values:
        setter.wrong(f"-{letter} {text} is not a value it takes", device, what, "traffic class")
    elif text is not None:
        known = device is not None and number is not None
        setter.nic(nic_name(device or "", number or "") if known else None, what, values[text])


def set_ip(setter: Setter, words: Words) -> None:
    """`ip link set dev DEV mtu N`; `ifconfig DEV mtu N`."""
    rest = [word for word in words if not (word or "-").startswith("-")]
    if setter.tool == "ip":
        if len(rest) < 3 or rest[0] not in ("link", "l") or rest[1] not in ("set", "s"):
            return
        rest = rest[3:] if rest[2] == "dev" else rest[2:]
    if len(rest) > 2 and "mtu" in rest[1:-1]:
        setter.port(rest[0], "MTU", whole(rest[rest.index("mtu") + 1] or "", 68, 1 << 17))


def set_place(setter: Setter, words: Words) -> None:
    """`ls -d /sys/class/net/DEV/device/infiniband/NIC`: the RDMA device that a script expects."""
    for word in words:
        if found := re.fullmatch(r"/sys/class/net/([^/]+)/device/infiniband/([^/]+)", word or ""):
            setter.nic(found[2], "port", found[1])


def set_ethtool(setter: Setter, words: Words) -> None:
    """`ethtool -A`, `-N`, `-s`, `--set-fec` and `--set-priv-flags`."""
    if len(words) < 4 or words[1] is None:
        return
    option, port = words[0], words[1]
    pairs = dict(zip(words[2::2], words[3::2], strict=False))
    if option in ("-N", "-U", "--config-ntuple", "--config-nfc"):
        packet_marks.set_steering(setter, words)
    elif option in ("-A", "--pause"):
        for key in ("rx", "tx"):
            what = f"{key.upper()} pause"
            setter.port(port, what, setter.take(key, pairs.get(key), ON_OFF.get, "on or off"))
    elif option in ("-s", "--change"):
        autoneg = setter.take("autoneg", pairs.get("autoneg"), ON_OFF.get, "on or off")
        speed = setter.take("speed", pairs.get("speed"), whole, "Mb/s without a unit")
        stated = {"autoneg": autoneg, "speed": speed}
        if not any(pairs.get(key) and value is None for key, value in stated.items()):
            setter.port(port, "autonegotiation", autoneg)
            setter.port(port, "speed", speed / 1000 if speed else None)
    elif option == "--set-fec":
        given = (pairs.get("encoding") or "").lower() or None
        setter.port(port, "FEC", setter.take("encoding", given, FECS.get, ", ".join(FECS)))
    elif option == "--set-priv-flags":
        state = ON_OFF.get(pairs.get("fw-lldp-agent") or "")
        setter.port(port, "firmware LLDP agent", state)


def set_sysctl(setter: Setter, words: Words) -> None:
    """`sysctl -w name=value ...`."""
    for given, value in assignments(words):
        name = given.strip().replace("/", ".")
        if KERNEL_SETTING.match(name):
            setter.state(KERNEL, name, "value", value.strip())


def set_mlxconfig(setter: Setter, words: Words) -> None:
    """`mlxconfig -d DEV set NAME=VALUE ...`: stored in the NIC, in force after its reset."""
    at = next((words.index(word) for word in ("set", "s") if word in words), 0)
    before = itertools.pairwise(words[:at])
    device = next((b for a, b in before if a in ("-d", "--dev")), None) or ""
    for name, value in assignments(words[at + 1 :]) if device else ():
        stated = Value(value, setter.position)
        setter.host.reading.take(setter.position)
        state_parameter(setter.host, device.lower(), name.upper(), stated, setter.who)


def set_lldptool(setter: Setter, words: Words) -> None:
    """`lldptool -T -i DEV -V TLV key=value ...`."""
    options = dict(itertools.pairwise(words))
    port = next((b for a, b in itertools.pairwise(words) if re.fullmatch(r"-\w*i", a or "")), None)
    tlv = (options.get("-V") or "").upper()
    if not any(word is not None and re.fullmatch(r"-\w*T\w*", word) for word in words):
        return
    keyed = dict(assignments(words))
    if tlv == "PFC" and port and keyed.keys() & {"willing", "enabled"}:
        record_settings(setter.host, port, setter.who)
    if tlv == "PFC" and "willing" in keyed:
        values = {"yes": True, "no": False}
        willing = setter.take("willing=", keyed["willing"], values.get, "yes or no")
        setter.port(port, "PFC willing", willing)
    if tlv == "PFC" and "enabled" in keyed:
        _lldptool_pfc(setter, port, keyed["enabled"])
    elif tlv == "ETS-CFG" and "up2tc" in keyed:
        pairs = [pair.partition(":") for pair in keyed["up2tc"].split(",")]
        entries: dict[Any, object] = {dcb.priority(a): dcb.priority(b) for a, _, b in pairs}
        if None in (*entries, *entries.values()):
            message = f"up2tc= takes PRIORITY:CLASS up to 7, not {keyed['up2tc']}"
            setter.wrong(message, port, "priority to class")
            return
        setter.port_table(port, "priority to class", entries, whole_table=len(entries) == 8)
    elif tlv == "APP" and "app" in keyed:
        app = [whole(text) for text in keyed["app"].split(",")]
        if len(app) != 3 or app[1] != DSCP_SELECTOR or app[0] is None or app[2] is None:
            return
        if app[0] > 7 or app[2] > 63:
            takes = "a priority up to 7 and a DSCP up to 63"
            setter.wrong(f"app= takes {takes}, not {keyed['app']}", port, "DSCP to priority")
        else:
            setter.port_table(port, "DSCP to priority", {app[2]: app[0]})


def _lldptool_pfc(setter: Setter, port: str | None, text: str) -> None:
    """`enabled=` is a list of priorities; the tool reads eight bits as priorities 0 and 1."""
    listed = [] if text == "none" else [dcb.priority(each) for each in text.split(",")]
    if None in listed:
        setter.wrong(f"enabled= takes priorities from 0 to 7 or none, not {text}", port, "PFC")
        return
    priorities = {number for number in listed if number is not None}
    if len(listed) == 8 and priorities <= {0, 1}:
        meant = [str(n) for n, bit in enumerate(listed) if bit]
        setter.wrong(
            f"enabled= takes a list of priorities, so {text} turns PFC on for"
            f" {' and '.join(map(str, sorted(priorities)))}, not for {','.join(meant) or 'none'}"
        )
    bits: dict[int, object] = {n: int(n in priorities) for n in range(8)}
    setter.port_table(port, "PFC", bits, whole_table=True)


def set_by_launcher(setter: Setter, words: Words) -> None:
    """Variables that a job launcher passes on: `mpirun -x A=1`, `mpiexec -genv A 1`,
    `srun --export=ALL,A=1 env B=2`, `docker run -eA=1`, `kubectl set env x A=1`; `setenv A 1`.
    """
    for before, word, after in zip((None, *words), words, (*words[1:], None), strict=False):
        text = _OPTION.sub("", word or "", count=1)
        if before in ("-genv", "-env") or (before is None and setter.tool == "setenv"):
            text += f"={after}" if after is not None and "=" not in text else ""
        for name, value in assignments(tuple(_JOINED.split(text))):
            state_variable(setter.host, name, Value(value, setter.position), setter.who)


_OPTION = re.compile(r"\A(?:--[a-z][a-z-]{0,30}=|-[ex](?=[A-Z]))")
_JOINED = re.compile(r",(?=[A-Za-z_]\w*=)")


def set_modprobe(setter: Setter, words: Words) -> None:
    """`modprobe irdma roce_ena=1`."""
    for name, value in assignments(words) if "irdma" in words else ():
        if name == "roce_ena" and value in ("0", "1"):
            setter.state(MODULE, "irdma", name, whole_of(value))


def set_nvme(setter: Setter, words: Words) -> None:
    """`nvme connect -t rdma --tos=106`: the ToS byte of a storage connection, and its egress
    interface (`--host-iface`).
    """
    if not words or words[0] not in ("connect", "connect-all", "discover"):
        return
    options: dict[str, str | None] = {}
    for at, word in enumerate(words):
        name, equals, value = (word or "").partition("=")
        if name.startswith("-"):
            options[name] = value if equals else words[at + 1] if at + 1 < len(words) else None
    if options.get("-t", options.get("--transport")) == "rdma":
        tos = whole(options.get("--tos", options.get("-T")) or "", 0, 255)
        out = options.get("--host-iface", options.get("-f"))
        stated = (NO_TOS if tos is None else tos, out)
        setter.state(STORAGE, "nvme connect --tos", "ToS", stated)


HANDLERS: dict[str, Callable[[Setter, Words], None]] = {
    "mlnx_qos": set_mlnx_qos, "dcb": set_dcb, "ls": set_place, "ethtool": set_ethtool,
    "sysctl": set_sysctl, "lldptool": set_lldptool, "bnxt_setupcc.sh": broadcom.set_up,
    "nicctl": amd.set_up, "modprobe": set_modprobe, "nvme": set_nvme, "nft": packet_marks.set_nft,
    "tc": partial(packet_marks.set_rule, packet_marks.of_tc),
    **dict.fromkeys(CMA, set_cma), **dict.fromkeys(("ip", "ifconfig"), set_ip),
    **dict.fromkeys(("mlxconfig", "mstconfig"), set_mlxconfig),
    **dict.fromkeys(("iptables", "ip6tables", "ebtables"),
                    partial(packet_marks.set_rule, packet_marks.of_iptables)),
    **dict.fromkeys(("ufw", "firewall-cmd"), packet_marks.set_firewall),
    **dict.fromkeys((*LAUNCHERS, "setenv"), set_by_launcher),
}  # fmt: skip
"""Handlers of commands by name."""
