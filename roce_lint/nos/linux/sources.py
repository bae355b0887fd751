"""Sources of a host: outputs of its tools, and files, of one host or many."""

from __future__ import annotations

from dataclasses import replace

from roce_lint.catalog.applications import names_pattern
from roce_lint.nos.declare import Form, Ignored, Plane, Signature, Source
from roce_lint.nos.lldp import REFUSAL
from roce_lint.text.shell_nesting import LAUNCHERS

PROOF = 10
GOOD = 6
"""Weights of a sign: sufficient alone, and sufficient without a rival."""

_BEFORE = r"(?:sudo (?:-\S+ )*)?(?:\w+=\S+ )*(?:\S*/)?"
"""Text before a command's name in a header."""

_JSON = r"(?=.* --?[a-zA-Z]*j)(?: -\S+)*"
_TEXT = r"(?: -\S+)*"
"""Options of iproute2 tools: with and without -j."""

_NICCTL = r'\A\s*\{\s*"nic":\s*\[\s*\{\s*"id":'
"""Beginning of every JSON output of nicctl: its adapters, by their ids."""

_ON = r"(?=.* -\w*i ?(?P<port>[\w.@-]+))"
_TLV = r"(?:(?=.* -V ?(?P<tlv>[\w-]+)))?"
_ELEMENT = r"^\s*IEEE 8021QAZ (?:ETS Configuration|PFC|APP) TLV"


_OWN = {
    "hostname": r"^(?!#)[A-Za-z0-9][\w.-]*",
    **dict.fromkeys(
        ("ip-link-json", "ip-addr-json"),
        r'"(?:address|permaddr|local|broadcast)":\s*"([\da-f.:]{7,64})"',
    ),
    "ip-link": r"\b(?:link/ether|permaddr|brd|inet6?) ([\da-f.:]{7,64})",
    "lldp": r'"(?:age|rid)":\s*"[\w:, ]*"|"chassis":\s*\{\s*"([\w./:-]{1,64})":\s*\{'
    r'|"(?:descr|mgmt-ip)":\s*"([\w./:-]{1,64})"'
    r'|"(?:type":\s*"\w+",\s*"|(?:name|descr|mgmt-ip)":\s*\[\s*\{\s*")value":\s*"([\w./:-]{1,64})"',
    "show_gids": r"(?<=\s)([\da-f]{4}(?::[\da-f]{4}){7}|\d{1,3}(?:\.\d{1,3}){3})(?=\s)",
    "ibv_devinfo": r"^\s*GID\[ *\d+\]:\s*([\da-f.:]{7,64})|guid:\s*[\da-f:]{7,64}",
    "lspci": r"(?<=Device Serial Number )\S+|(?<=\[SN\] Serial number: ).*",
    "iptables": r"(?<=\[)\d+:\d+(?=\])|^# (?:Generated|Completed) .*",
    "not-read": r"^(?!.*(?i:roce-lint))[^\n]{1,4000}$",
}
"""Values of one host by source, as `Source.own`."""


def _output(
    name: str,
    command: str,
    *signs: tuple[str, str] | tuple[str, str, int],
    run: str | None = None,
    file_name: str | None = None,
    never_empty: bool = False,
) -> Source:
    """A live output: its command, and the signs that identify it without one. Each sign has its
    pattern, the reason, and its weight, PROOF by default. `never_empty`: it has text whenever the
    port exists and the command works.
    """
    signatures = tuple(Signature(sign[0], (*sign, PROOF)[2], sign[1]) for sign in signs)
    return Source(name, Form.RAW, Plane.STATE, command=_BEFORE + command, run=run,
                  file_name=file_name, signatures=signatures, never_empty=never_empty,
                  own=_OWN.get(name))  # fmt: skip


def _json(
    name: str, command: str, sign: str, why: str, run: str | None = None, file: str | None = None
) -> Source:
    """A live output as JSON; the tool refuses in words."""
    made = _output(name, command, (sign, why), run=run, file_name=file)
    return replace(made, form=Form.JSON, refusal=REFUSAL)


def _named(name: str, group: str = "port", ending: str = "txt") -> str:
    """File name `mlnx_qos-ens1np0.txt`."""
    return rf"^{name}[-_](?P<{group}>[\w.@:-]+?)\.{ending}$"


DCB_SUBJECTS = {
    "pfc": (r'"prio_pfc":\s*\[', "PFC bits of dcb"),
    "ets": (r'"tc_tsa":\s*\[', "ETS table of dcb"),
    "app": (r'\A\s*\{\s*"(?:ethtype|dscp|stream_port|dgram_port|pcp)_prio":\s*\[', "APP table"),
    "buffer": (r'"prio_buffer":\s*\[', "buffer map of dcb"),
    "dcbx": (r'\A\s*\{(?:\s*"(?:host|lld_managed|cee|ieee|static)":\s*true,?)+\s*\}\s*\Z',
        "DCBX mode of dcb"),
    "apptrust": (r'\A\s*\{\s*"order":\s*\[\s*(?:"[a-z-]+"[\s,]*)*\]\s*\}\s*\Z',
        "trust order of dcb"),
}  # fmt: skip
"""Subjects of `dcb -j SUBJECT show`, with the signs of their outputs."""

_MLNX_QOS = _output(
    "mlnx_qos", r"mlnx_qos\b.*?(?:-i|--interface)[ =]?(?P<port>[\w.@-]+).*",
    (r"^\s*Priority trust state: (?:dscp|pcp)", "trust state as mlnx_qos prints it"),
    (r"^\s*DCBX mode: (?:OS|Firmware) controlled", "DCBX mode as mlnx_qos prints it"),
    (r"^\s*tc: \d ratelimit: ", "class as mlnx_qos prints it", GOOD),
    (r"^Priority trust state is not supported on your system", "mlnx_qos without support"),
    file_name=_named("mlnx_qos"), never_empty=True,
)  # fmt: skip

_IGNORED = (
    Ignored(r"PFC configuration:$", "heading"),
    Ignored(r"dscp2prio mapping:$", "heading"),
    Ignored(r"priority(?:\s+[0-7]){8}$", "column numbers of the PFC table"),
    Ignored(r"default priority:$", "no default priority is set"),
    Ignored(r"Priority trust state(?:: none$| is not supported)", "the port has no trust state"),
    Ignored(r"Buffers commands are not supported", "the port has no configurable receive buffers"),
    Ignored(r"Rate limit is not supported", "the port has no rate limits"),
    Ignored(r"ETS features are not supported", "the port has no ETS"),
)  # fmt: skip

_NOT_READ = _output(
    "not-read",
    r"(?:uname|lscpu|lsmod|ofed_info|modinfo|dmesg|nvidia-smi|ibv_devices|mlxlink|mstlink"
    r"|mlxreg|mstreg|mlxfwmanager|devlink|lldptool|nicctl|niccli|bnxtqos|dcb|ethtool|rdma|ip|ss"
    r"|numactl|show_counters|ps|pgrep|cat /proc|lldpcli|lldpctl|networkctl|tc|perfquery"
    r"|roce-lint host-script)\b.*",
    (r"^tc-maxrate 0:|\"tc_maxrate\":", "rates of dcb, in a unit that depends on its release"),
    (r'"autonegotiate":\s*(?:true|false)', "pause of ethtool as JSON, wrong in 6.1"),
    (r"\ANIC statistics:", "counters of ethtool"),
    (_NICCTL + r'[\s\S]{0,2000}?"(?:product_name|statistics|queue_pair)":\s*["{\[]',
        "cards and counters of nicctl as JSON", GOOD + 1),
)  # fmt: skip

OUTPUTS = (
    # mlnx_qos and dcb.
    replace(_MLNX_QOS, form=Form.LINES, ignored=_IGNORED),
    *(
        _json(f"dcb-{subject}-json", rf"dcb{_JSON} {subject} show dev (?P<port>\S+).*", sign, why,
            file=_named(f"dcb[-_]{subject}", ending="json"))
        for subject, (sign, why) in DCB_SUBJECTS.items()
    ),
    _output("dcb", rf"dcb{_TEXT} (?:pfc|ets|app|buffer|dcbx|apptrust) show dev (?P<port>\S+).*",
        (r"^prio-pfc 0:(?:on|off) ", "PFC bits of dcb"), (r"^tc-tsa 0:\w+ ", "ETS table of dcb"),
        (r"^dscp-prio \w+:\d ", "APP table of dcb"), (r"^prio-buffer 0:\d ", "buffer map of dcb"),
        (r"\A\s*(?:(?:host|lld-managed|cee|ieee|static) ?)+\s*\Z", "DCBX mode of dcb"),
        (r"\Aorder: (?:(?:ethtype|dscp|pcp|stream-port|dgram-port|port) ?)+$", "trust order"),
        (r"\AAttribute read: (?:Operation not supported|No such device)", "dcb refused"),
        file_name=_named("dcb[-_][a-z]+")),
    # Links.
    _json("ip-link-json", rf"ip{_JSON} l(?:ink)?(?: .*)?", r'"linkmode":\s*"',
        "link attribute of ip -j", run="ip -d -j link show"),
    _json("ip-addr-json", rf"ip{_JSON} (?:a|addr|address)(?: .*)?", r'"addr_info":\s*\[',
        "addresses of ip -j", run="ip -j addr show"),
    _output("ip-link", rf"ip{_TEXT} (?:l|link|a|addr|address)(?: .*)?",
        (r"^\d+: [^\s:]+: <[A-Z_,]*> mtu \d+ ", "interface line of ip"), never_empty=True),
    _output("ethtool-driver", r"ethtool (?:-i|--driver) (?P<port>\S+)",
        (r"\Adriver: \S+$", "driver line of ethtool", GOOD),
        (r"^firmware-version:", "firmware line of ethtool", GOOD),
        file_name=_named("ethtool[-_]i")),
    _output("ethtool-pause", r"ethtool (?:-a|--show-pause) (?P<port>\S+)",
        (r"^\s*Pause parameters for \S+:", "heading of ethtool"), file_name=_named("ethtool[-_]a")),
    _output("ethtool-fec", r"ethtool(?: -I)? --show-fec (?P<port>\S+)",
        (r"^FEC parameters for \S+:", "heading of ethtool"),
        file_name=_named("ethtool[-_](?:show[-_])?fec")),
    _output("ethtool-flags", r"ethtool --show-priv-flags (?P<port>\S+)",
        (r"^Private flags for \S+:", "heading of ethtool")),
    _output("ethtool", r"ethtool (?P<port>[^-\s]\S*)",
        (r"^Settings for \S+:", "heading of ethtool"), file_name=_named("ethtool"),
        never_empty=True),
    # LLDP and DCBX.
    _json("lldp", r"lldpc(?:li|tl)\b(?=.* -f ?json).*", r'\A\s*\{\s*"lldp":\s*[\[{]',
        "neighbours of lldpcli", run="lldpcli -f json0 show neighbors details"),
    _output("lldp-text", r"lldpc(?:li|tl)\b(?!.* -f).*",
        (r"^Interface:\s+\S+, via: LLDP", "neighbour of lldpcli")),
    _output("lldp-keyvalue", r"lldpc(?:li|tl)\b(?=.* -f ?keyvalue\b).*",
        (r"^lldp\.\S+\.via=LLDP[ \t\r]*$", "neighbour of lldpcli as key and value")),
    _output("lldp-other", r"lldpc(?:li|tl)\b(?=.* -f ?xml\b).*",
        (r"^<lldp label=", "neighbours of lldpcli as XML")),
    _output("lldptool-neighbor", rf"lldptool(?=.* -\w*n)(?!.* -\w*T){_ON}.*",
        file_name=r"^lldptool[-_]n(?:eighbou?rs?)?[-_](?P<port>[\w.@:-]+?)\.txt$"),
    _output("lldptool", rf"lldptool(?!.* -\w*T){_ON}{_TLV}.*",
        (rf"{_ELEMENT}\s*$", "DCBX element of lldptool"),
        (r"^End of LLDPDU (?:TLV|LTV)[ \t\r]*$", "end of lldptool's answer"),
        file_name=r"^lldptool[-_](?!n(?:eighbou?rs?)?[-_])(?P<port>[\w.@:-]+?)\.txt$"),
    Source("lldpad", Form.RAW, command=r"cat \S*lldpad\.conf", file_name=r"^lldpad\.conf$",
        signatures=(
            Signature(r"^\s*tlvid0080c2(?:09|0a|0b|0c)\s*:", PROOF, "setting of lldpad"),)),
    # RDMA devices.
    _json("rdma-link-json", rf"rdma{_JSON} link(?P<asked>(?: .*)?)", r'"physical_state":\s*"',
        "link state of rdma", run="rdma -j link show"),
    _output("rdma-link", rf"rdma{_TEXT} link(?P<asked>(?: .*)?)",
        (r"^link \S+/\d+ .*\bphysical_state ", "link line of rdma")),
    _output("ibdev2netdev", r"ibdev2netdev(?: -v)?",
        (r"^\S.* port \d+ (?:\(.*\) )?<?=+> \S+ \(", "line of ibdev2netdev")),
    _output("show_gids", r"show_gids(?: .*)?",
        (r"^\s*DEV\s+PORT\s+INDEX\s+GID\s+IPv4\s+VER", "heading of show_gids"), run="show_gids"),
    _output("ibv_devinfo", r"ibv_devinfo(?P<asked>(?: .*)?)",
        (r"^hca_id:\s+\S+", "device of ibv_devinfo"),
        (r"\ANo IB devices found|\AIB device '.*' wasn't found", "ibv_devinfo without device"),
        run="ibv_devinfo -v"),
    *(
        _output(f"cma_roce_{what}",
            rf"cma_roce_{what}(?: -d (?P<nic>\S+)| -p (?P<number>\d+)| -{what[0]} \d+)*",
            file_name=_named(f"cma_roce_{what}", "nic"))
        for what in ("tos", "mode")
    ),
    _output("mlxconfig",
        r"m(?:lx|st)config\b.*? (?:-d|--dev) ?(?P<device>\S+)(?: .*)? (?:q|query)(?: .*)?",
        (r"^\s*(?:\*\s*)?(?:ROCE_CC_PRIO_MASK|LINK_TYPE|RPG_GD)_P1\s+\w", "NIC parameter"),
        (r"^Device #\d+:", "device of mlxconfig", GOOD),
        file_name=_named("m(?:lx|st)config", "device")),
    # NIC vendors' tools: Broadcom, Intel, AMD.
    _output("niccli-devices", r"niccli (?:.* )?--?list(?:_?dev(?:ices)?)?",
        (r"^\d+\) Broadcom .*\n\s+Device Interface", "list of niccli")),
    _output("niccli-qos",
        r"(?:niccli|bnxtqos)\b(?=.*(?:get_?qos|qos .*--?show))"
        r"(?:.* -{1,2}(?:dev|i|pci)[ =](?P<device>[\w.:@-]+))?.*",
        (rf"{_ELEMENT}:\s*$", "element of niccli"),
        file_name=_named("(?:niccli|bnxtqos)(?:[-_]qos)?")),
    _json("devlink-json", rf"devlink{_JSON} dev param show(?: .*)?", r'\A\s*\{\s*"param":\s*\{',
        "parameters of devlink", run="devlink -j dev param show"),
    _output("devlink", rf"devlink{_TEXT} dev param show(?: .*)?",
        (r"^pci/\S+:\n\s+name \w+ type ", "parameters of devlink")),
    Source("modprobe", Form.RAW, command=r"cat /etc/modprobe\.d/\S+", signatures=(
        Signature(r"^options\s+irdma\s.*\broce_ena=", PROOF, "option of irdma"),
        Signature(r"^options\s+ko2iblnd\s(?:.*\s)?tos=", PROOF, "traffic class of Lustre"))),
    _json("nicctl-lif", r"nicctl show lif(?=.* (?:-j|--json)).*", r'"rdma_mtu":\s*"',
        "logical interface of nicctl", run="nicctl show lif -j"),
    _json("nicctl-port-json", r"nicctl show port(?=.* (?:-j|--json)).*", r'"pause_type":\s*"',
        "port of nicctl", run="nicctl show port -j"),
    _output("nicctl-port", r"nicctl show port(?!.* (?:-j|--json)).*",
        (r"^\s*Pause type\s+: (?:PFC|LINK|NONE)", "port of nicctl")),
    _output("nicctl-qos", r"nicctl show qos(?! headroom)(?!.* (?:-j|--json)).*",
        (r"^\s*PFC no-drop priorities\s*:", "PFC of nicctl"),
        (r"^\s*Classification type\s*: (?:DSCP|PCP)", "classification of nicctl"),
        run="nicctl show qos", file_name=_named("nicctl[-_]qos")),
    _output("nicctl-dcqcn", r"nicctl show dcqcn(?!.* (?:-j|--json)).*",
        (r"^\s*DCQCN profile id\s*:", "DCQCN of nicctl"),
        (r"^\s*ROCE device\s*:", "RDMA device of nicctl", GOOD), run="nicctl show dcqcn"),
    _output("nicctl-json", r"nicctl show (?P<subject>qos|dcqcn)(?! headroom)(?=.* (?:-j|--json)).*",
        (_NICCTL + r'\s*"', "adapters of nicctl as JSON", GOOD),
        file_name=r"^nicctl[-_](?:show[-_])?(?P<subject>qos|dcqcn)(?:[-_].*)?\.json$"),
    # PCI, rules for packets, kernel settings, other.
    _output("lspci", r"lspci(?: .*)?",
        (r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] PCI bridge(?: \[0604\])?: ",
            "bridge of lspci"), run="lspci -vvv"),
    _output("iptables", r"ip6?tables(?:-save|-legacy-save|-nft-save|(?: -t \w+)? -S)\b.*",
        (r"\A(?:#.*\n)*\*(?:mangle|filter|nat|raw)$", "table of iptables-save"),
        run="iptables-save"),
    _output("nft", r"nft(?: -\S+)* list .*",
        (r"^\s*type \w+ hook \w+ (?:device \S+ )?priority ", "hook of nftables"),
        run="nft list ruleset"),
    _output("sysfs", r"(?:grep|head|tail|cat|find)\b.*?(?P<path>/(?:sys|proc/sys)/\S*).*",
        (r"^/sys/class/net/[^/:]+/(?:ecn/roce_|qos/)", "QoS or ECN file of an interface"),
        (r"^/sys/class/infiniband/[^:]+:", "file of an RDMA device"),
        (r"^/sys/kernel/config/rdma_cm/", "default of rdma_cm"),
        (r"^/sys/(?:class/net|kernel/debug/mlx5)/[^:]+:", "file of an interface", GOOD),
        (r"\A\s*Global tclass=\d+", "forced traffic class"),
        file_name=r"^(?:sysfs[-_])?traffic_class[-_](?P<nic>\w+)\.txt$"),
    _output("sysctl", r"sysctl\b(?!.* -w).*",
        (r"^net\.(?:ipv4|core)\.[\w./]+ = ", "setting as sysctl prints it", GOOD)),
    Source("hostname", Form.RAW, Plane.STATE, command=_BEFORE
        + r"(?:hostname(?: -\S+)?|uname -n|hostnamectl hostname)|cat /etc/hostname",
        file_name=r"^hostname(?:\.txt)?$", own=_OWN["hostname"],
        hostname=r"^(?!#)(?P<name>[A-Za-z0-9][\w.-]*)[ \t\r]*$"),
    _output("os-release", r"cat /etc/os-release.*", (r"^PRETTY_NAME=", "os-release", GOOD),
        file_name=r"^os-release"),
    Source("environment", Form.RAW, Plane.STATE, environment=True,
        command=_BEFORE + r"(?:env|printenv)(?: .*)?|(?:cat|tr) .*/proc/\S+/environ.*",
        file_name=r"^env(?:ironment)?\.txt$"),
    replace(_NOT_READ, has_settings=False),
)  # fmt: skip


# Files.


def config(
    name: str,
    form: Form,
    *signatures: Signature,
    command: str | None = None,
    file_name: str | None = None,
    hostname: str | None = None,
    environment: bool = False,
    apart: bool = False,
) -> Source:
    """A file; one for many hosts (`apart`) has variables of programs."""
    return Source(name, form, command=command, file_name=file_name, signatures=signatures,
                  apart=apart, hostname=hostname, environment=environment or apart)  # fmt: skip


RDMA_VARIABLE = names_pattern()
"""Names of RDMA variables of applications."""

HOST_TOOLS = (
    r"\b(?:mlnx_qos|MLNX_QOS)\b|\bcma_roce_(?:tos|mode)\b|\bdcb \w+ (?:set|add|replace) dev\b"
    r"|\bbnxt_setupcc\.sh\b|\bnicctl update\b|/config/(?:bnxt_re|irdma)/|\birdma .*roce_ena="
    r"|\blldptool\b|\bml?xconfig\b|/traffic_class\b|/ecn/roce_|/qos/trust\b"
    r"|\bnvme connect\S* .*\brdma\b"
    r"|\bip6?tables .*--set-(?:dscp|tos)|\bnft .* dscp set |\btc .* munge ip6? (?:dsfield|tos)"
    r"|\b(?:ip6?tables|ebtables|nft|tc|ufw|firewall-cmd|ethtool -[NU]) .*\b4791\b"
    r"|\bip6?tables .*ports? (?:\d{1,3}|[1-3]\d{3}|4[0-7]\d\d)"
    r":(?:4[89]\d\d|479[1-9]|[5-9]\d{3}|\d{5}) .*-j (?:DROP|REJECT)"
    r"|\bethtool (?:-A|--pause) \S+ (?:autoneg \w+ )?[rt]x o|\bfw-lldp-agent o"
    r"|/config/rdma_cm/"
)
"""Words of scripts that set up a host; no other file has them."""

TOOLS = rf"(?:{HOST_TOOLS}|\bexport {RDMA_VARIABLE}=|-x {RDMA_VARIABLE}=|\bNCCL_IB_TC=)"
"""Words of scripts that set up RDMA, on a host or for a job; no other file has them."""

FILES = (
    config("environment-file", Form.ENV,
        Signature(rf"^(?:export )?{RDMA_VARIABLE}=", PROOF, "RDMA setting of an application"),
        command=r"cat (?P<path>\S*\b(?:nccl|rccl|ucx|nvshmem)\S*|/etc/environment)",
        environment=True, file_name=r"^(?:nccl|rccl)\.conf$"),
    config("ceph-conf", Form.RAW,
        Signature(r"^\s*ms[_ -]async[_ -]rdma[_ -]\w.*=", PROOF, "RDMA setting of Ceph"),
        command=r"cat \S*ceph\S*\.conf"),
    config("script", Form.SHELL,
        Signature(rf"\A\ufeff?#![^\n]*(?:sh|expect)\b[^\n]*\n[\s\S]*?{TOOLS}", PROOF + 2,
            "script for RDMA"),
        Signature(r"^(?:sudo )?"
            r"(?:mlnx_qos -|cma_roce_\w+ -|dcb \w+ (?:set|add|replace) dev |lldptool -\w*T"
            r"|bnxt_setupcc\.sh -|nicctl update )",
            PROOF + 4, "command that sets up RDMA"),
        environment=True, command=r"cat \S+\.(?:sh|bash)"),
    config("systemd-unit", Form.INI,
        Signature(rf"^Exec(?:Start|StartPre|StartPost|Reload)=.*{TOOLS}", PROOF + 4,
            "unit for RDMA"),
        Signature(rf"^Environment=.*\"?{RDMA_VARIABLE}=", PROOF + 4, "unit with RDMA settings"),
        environment=True, command=r"cat \S+\.(?:service|conf\.d/\S+)|systemctl cat .*"),
    config("sysctl-conf", Form.RAW,
        Signature(r"^\s*net\.(?:ipv4\.conf|ipv4\.tcp_ecn|core)\S*\s*=\s*\S+", GOOD - 2,
            "kernel setting"),
        command=r"cat /etc/sysctl\S*", file_name=r"sysctl.*\.conf$"),
)  # fmt: skip


# Files for many hosts at once. A template of Helm or Go contains {{ and is not YAML before it is
# rendered.
_OBJECT = r"\A(?![\s\S]*?\{\{)(?=[\s\S]*?^[ {]*\"?apiVersion\"?: )[\s\S]*?"
_NAMED = rf"(?:\b(?:name|option)[\"']?: *[\"']?{RDMA_VARIABLE}[\"']?\s*(?:$|[,}}]))"
_KEYED = rf"(?:(?:^[ ]+|[{{,] ?)[\"']?{RDMA_VARIABLE}[\"']?: *[^\s|>])"
_ASSIGNED = rf"(?:(?:^(?:ENV |[ ]*- [\"']?)?|-x ){RDMA_VARIABLE}=)"
_PASSED = rf"(?:(?:\b|-e){RDMA_VARIABLE}:?=|(?:setenv|-g?env) {RDMA_VARIABLE} )"
_LAUNCHERS = rf"(?:{'|'.join(LAUNCHERS)}|torchrun|deepspeed|accelerate|python3?)"

CLUSTER = (
    config("manifest", Form.YAML,
        Signature(
            _OBJECT + r"^[ -]*kind: (?:SriovNetworkNodePolicy|NicConfigurationTemplate"
            r"|NicClusterPolicy|NetworkAttachmentDefinition|SriovNetwork|HostDeviceNetwork"
            r"|MacvlanNetwork)\s*$",
            PROOF, "policy for network adapters"),
        Signature(_OBJECT + rf"(?:{_NAMED}|{_KEYED}|\b{RDMA_VARIABLE}=)",
            # As high as for a script, which a ConfigMap may contain.
            PROOF + 4, "RDMA setting in a manifest"),
        apart=True),
    config("playbook", Form.YAML,
        Signature(r"\A(?=(?:\s|---[^\n]*\n|#[^\n]*\n)*+- )"
            r"(?=[\s\S]*?^[ ]+(?:- )?(?:ansible\.\w+\.)?"
            r"(?:shell|command|raw|copy|sysctl|lineinfile|blockinfile):)"
            rf"[\s\S]*?(?:{TOOLS}|\b{RDMA_VARIABLE}=|{_KEYED}|\bnet\.ipv4\.tcp_ecn\b)",
            # As high as for the commands by themselves.
            PROOF + 8,
            "playbook with RDMA commands",
        ),
        apart=True),
    config("job-values", Form.RAW,
        Signature(rf"\A(?=[\s\S]*?\{{\{{)(?!#!)[\s\S]*?(?:{_NAMED}|{_KEYED}|{_ASSIGNED})",
            PROOF + 4, "RDMA setting in a template"),
        Signature(rf"\A(?=[\s\S]*?{RDMA_VARIABLE})(?![\s\S]*?(?:\{{\{{|^[ {{]*\"?apiVersion\"?: ))"
            rf"(?!#!)[\s\S]*?(?:{_NAMED}|{_KEYED}|^(?:ENV |[ ]*- [\"']?"
            rf"|[ ]*environment: *\[[^\]]*?){RDMA_VARIABLE}=)",
            PROOF + 4, "RDMA setting of a job"),
        apart=True),
    config("cloud-init", Form.YAML,
        Signature(rf"\A#cloud-config\b[\s\S]*?(?:{TOOLS}|\b{RDMA_VARIABLE}=)", PROOF + 8,
            "user data with RDMA commands"),
        environment=True, command=r"cat \S*(?:user-data|cloud-config)\S*",
        hostname=r"^hostname: *(?P<name>[A-Za-z0-9][\w.-]*)[ \t\r]*$"),
    config("job-script", Form.SHELL,
        Signature(rf"\A\ufeff?#![^\n]*\n(?=[\s\S]*?{_PASSED})"
            rf"(?:(?=[\s\S]*?^#(?:SBATCH|PBS|BSUB) )|(?![\s\S]*?^[^#\n]*(?:{HOST_TOOLS})))",
            PROOF + 8, "job that sets RDMA variables"),
        Signature(rf"^(?:export )?{RDMA_VARIABLE}=[\s\S]{{0,4000}}?^(?:\w+=\S+ )*"
            rf"(?:\S*/)?{_LAUNCHERS} ",
            PROOF + 1, "RDMA variables in front of a job"),
        Signature(rf"^(?:sudo )?(?:\S*/)?{_LAUNCHERS} (?:[^\n]*\\\n){{0,12}}[^\n]*{_PASSED}",
            PROOF + 1, "RDMA variables of a job's launcher"),
        apart=True),
)  # fmt: skip


# Network configuration files.

NETWORK = (
    config("netplan", Form.YAML,
        Signature(r"^network:[ \t]*\n(?:[ \t]+[^#\s].*\n|[ \t]*(?:#.*)?\n)*?"
            r"[ \t]+(?:ethernets|bonds|vlans):",
            PROOF, "netplan"),
        command=r"cat (?P<path>(?:/\S*)?/netplan/\S+\.ya?ml)|netplan get(?: all)?"),
    config("networkd", Form.INI, Signature(r"^\[Match\]\s*$", GOOD, "section of networkd"),
        Signature(r"^\[NetDev\]\s*$", PROOF, "section of networkd"),
        Signature(r"^(?:MTUBytes|OriginalName|VLAN|Bond)=", GOOD, "setting of networkd"),
        command=r"cat (?P<path>\S+\.(?:network|netdev|link))",
        file_name=r"\.(?:network|netdev|link)$"),
    config("keyfile", Form.INI,
        Signature(r"^\[connection\]\s*\n(?:[^\[\n].*\n)*?(?:type|uuid)=", PROOF, "connection"),
        command=r"cat (?P<path>\S*/system-connections/\S+)", file_name=r"\.nmconnection$"),
    config("interfaces", Form.RAW,
        Signature(
            # Switches with this tool have ports called swp1. The command is no evidence: hosts
            # print the same file by it.
            r"\A(?![\s\S]*^\s*(?:auto|iface) swp)[\s\S]*?^iface \S+ inet6?(?: \w+)?\s*$", PROOF,
            "stanza of ifupdown")),
    config("ifcfg", Form.ENV,
        Signature(r"^(?:BOOTPROTO|ONBOOT|STARTMODE)=", GOOD, "setting of ifcfg"),
        Signature(r"^(?:DEVICE|HWADDR|IPADDR0?|MTU)=", GOOD, "setting of ifcfg"),
        command=r"cat (?P<path>\S*/ifcfg-\S+)", file_name=r"^ifcfg-"),
)  # fmt: skip
