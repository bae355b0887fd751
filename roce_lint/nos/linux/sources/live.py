"""Sources of a host that are outputs: NIC tools, LLDP and DCBX, links, RDMA, kernel settings."""

from __future__ import annotations

from roce_lint.nos.base import Form, Ignored, Plane, Signature, Source
from roce_lint.nos.linux.sources.files import (
    BEFORE,
    GOOD,
    JSON,
    PROOF,
    TEXT,
    config,
    json_output,
    name_with_argument,
    output,
)

_NICCTL = r'\A\s*\{\s*"nic":\s*\[\s*\{\s*"id":'
"""Beginning of every JSON output of nicctl: its adapters, by their ids."""

_ON = r"(?=.* -\w*i ?(?P<port>[\w.@-]+))"
_TLV = r"(?:(?=.* -V ?(?P<tlv>[\w-]+)))?"
_ELEMENT = r"^\s*IEEE 8021QAZ (?:ETS Configuration|PFC|APP) TLV\s*$"


def _dcb(subject: str, key: str, why: str) -> Source:
    return json_output(
        f"dcb-{subject}-json",
        rf"dcb{JSON} {subject} show dev (?P<port>\S+).*",
        (key, PROOF, why),
        file_name=name_with_argument(f"dcb[-_]{subject}", ending="json"),
    )


OUTPUTS = (
    # mlnx_qos and dcb.
    output(
        "mlnx_qos",
        r"mlnx_qos\b.*?(?:-i|--interface)[ =]?(?P<port>[\w.@-]+).*",
        (r"^\s*Priority trust state: (?:dscp|pcp)", PROOF, "trust state as mlnx_qos prints it"),
        (r"^\s*DCBX mode: (?:OS|Firmware) controlled", PROOF, "DCBX mode as mlnx_qos prints it"),
        (r"^\s*tc: \d ratelimit: ", GOOD, "class as mlnx_qos prints it"),
        (
            r"^Priority trust state is not supported on your system",
            PROOF,
            "mlnx_qos without support",
        ),
        form=Form.LINES,
        file_name=name_with_argument("mlnx_qos"),
        ignored=(
            Ignored(r"PFC configuration:$", "heading"),
            Ignored(r"dscp2prio mapping:$", "heading"),
            Ignored(r"priority(?:\s+[0-7]){8}$", "column numbers of the PFC table"),
            Ignored(r"default priority:$", "no default priority is set"),
            Ignored(
                r"Priority trust state(?:: none$| is not supported)", "the port has no trust state"
            ),
            Ignored(
                r"Buffers commands are not supported",
                "the port has no configurable receive buffers",
            ),
            Ignored(r"Rate limit is not supported", "the port has no rate limits"),
            Ignored(r"ETS features are not supported", "the port has no ETS"),
        ),
        never_empty=True,
    ),
    _dcb("pfc", r'"prio_pfc":\s*\[', "PFC bits of dcb"),
    _dcb("ets", r'"tc_tsa":\s*\[', "ETS table of dcb"),
    _dcb("app", r'\A\s*\{\s*"(?:ethtype|dscp|stream_port|dgram_port|pcp)_prio":\s*\[', "APP table"),
    _dcb("buffer", r'"prio_buffer":\s*\[', "buffer map of dcb"),
    _dcb(
        "dcbx",
        r'\A\s*\{(?:\s*"(?:host|lld_managed|cee|ieee|static)":\s*true,?)+\s*\}\s*\Z',
        "DCBX mode of dcb",
    ),
    _dcb(
        "apptrust",
        r'\A\s*\{\s*"order":\s*\[\s*(?:"[a-z-]+"[\s,]*)*\]\s*\}\s*\Z',
        "trust order of dcb",
    ),
    output(
        "dcb",
        rf"dcb{TEXT} (?:pfc|ets|app|buffer|dcbx|apptrust) show dev (?P<port>\S+).*",
        (r"^prio-pfc 0:(?:on|off) ", PROOF, "PFC bits of dcb"),
        (r"^tc-tsa 0:\w+ ", PROOF, "ETS table of dcb"),
        (r"^dscp-prio \w+:\d ", PROOF, "APP table of dcb"),
        (r"^prio-buffer 0:\d ", PROOF, "buffer map of dcb"),
        (r"\A\s*(?:(?:host|lld-managed|cee|ieee|static) ?)+\s*\Z", PROOF, "DCBX mode of dcb"),
        (
            r"\Aorder: (?:(?:ethtype|dscp|pcp|stream-port|dgram-port|port) ?)+$",
            PROOF,
            "trust order",
        ),
        (r"\AAttribute read: (?:Operation not supported|No such device)", PROOF, "dcb refused"),
        file_name=name_with_argument("dcb[-_][a-z]+"),
    ),
    # Links.
    json_output(
        "ip-link-json",
        rf"ip{JSON} l(?:ink)?(?: .*)?",
        (r'"linkmode":\s*"', PROOF, "link attribute of ip -j"),
        run="ip -d -j link show",
    ),
    json_output(
        "ip-addr-json",
        rf"ip{JSON} (?:a|addr|address)(?: .*)?",
        (r'"addr_info":\s*\[', PROOF, "addresses of ip -j"),
        run="ip -j addr show",
    ),
    output(
        "ip-link",
        rf"ip{TEXT} (?:l|link|a|addr|address)(?: .*)?",
        (r"^\d+: [^\s:]+: <[A-Z_,]*> mtu \d+ ", PROOF, "interface line of ip"),
        never_empty=True,
    ),
    output(
        "ethtool-driver",
        r"ethtool (?:-i|--driver) (?P<port>\S+)",
        (r"\Adriver: \S+$", GOOD, "driver line of ethtool"),
        (r"^firmware-version:", GOOD, "firmware line of ethtool"),
        file_name=name_with_argument("ethtool[-_]i"),
    ),
    output(
        "ethtool-pause",
        r"ethtool (?:-a|--show-pause) (?P<port>\S+)",
        (r"^\s*Pause parameters for \S+:", PROOF, "heading of ethtool"),
        file_name=name_with_argument("ethtool[-_]a"),
    ),
    output(
        "ethtool-fec",
        r"ethtool(?: -I)? --show-fec (?P<port>\S+)",
        (r"^FEC parameters for \S+:", PROOF, "heading of ethtool"),
        file_name=name_with_argument("ethtool[-_](?:show[-_])?fec"),
    ),
    output(
        "ethtool-flags",
        r"ethtool --show-priv-flags (?P<port>\S+)",
        (r"^Private flags for \S+:", PROOF, "heading of ethtool"),
    ),
    output(
        "ethtool",
        r"ethtool (?P<port>[^-\s]\S*)",
        (r"^Settings for \S+:", PROOF, "heading of ethtool"),
        file_name=name_with_argument("ethtool"),
        never_empty=True,
    ),
    # LLDP and DCBX.
    json_output(
        "lldp",
        r"lldpc(?:li|tl)\b(?=.* -f ?json).*",
        (r'\A\s*\{\s*"lldp":\s*[\[{]', PROOF, "neighbours of lldpcli"),
        run="lldpcli -f json0 show neighbors details",
    ),
    output(
        "lldp-text",
        r"lldpc(?:li|tl)\b(?!.* -f).*",
        (r"^Interface:\s+\S+, via: LLDP", PROOF, "neighbour of lldpcli"),
    ),
    output(
        "lldp-keyvalue",
        r"lldpc(?:li|tl)\b(?=.* -f ?keyvalue\b).*",
        (r"^lldp\.\S+\.via=LLDP[ \t\r]*$", PROOF, "neighbour of lldpcli as key and value"),
    ),
    output(
        "lldp-other",
        r"lldpc(?:li|tl)\b(?=.* -f ?xml\b).*",
        (r"^<lldp label=", PROOF, "neighbours of lldpcli as XML"),
    ),
    output(
        "lldptool-neighbor",
        rf"lldptool(?=.* -\w*n)(?!.* -\w*T){_ON}.*",
        file_name=r"^lldptool[-_]n(?:eighbou?rs?)?[-_](?P<port>[\w.@:-]+?)\.txt$",
    ),
    output(
        "lldptool",
        rf"lldptool(?!.* -\w*T){_ON}{_TLV}.*",
        (_ELEMENT, PROOF, "DCBX element of lldptool"),
        (r"^End of LLDPDU (?:TLV|LTV)[ \t\r]*$", PROOF, "end of lldptool's answer"),
        file_name=r"^lldptool[-_](?!n(?:eighbou?rs?)?[-_])(?P<port>[\w.@:-]+?)\.txt$",
    ),
    config(
        "lldpad",
        Form.RAW,
        Signature(r"^\s*tlvid0080c2(?:09|0a|0b|0c)\s*:", PROOF, "setting of lldpad"),
        command=r"cat \S*lldpad\.conf",
        file_name=r"^lldpad\.conf$",
    ),
    # RDMA devices.
    json_output(
        "rdma-link-json",
        rf"rdma{JSON} link(?P<asked>(?: .*)?)",
        (r'"physical_state":\s*"', PROOF, "link state of rdma"),
        run="rdma -j link show",
    ),
    output(
        "rdma-link",
        rf"rdma{TEXT} link(?P<asked>(?: .*)?)",
        (r"^link \S+/\d+ .*\bphysical_state ", PROOF, "link line of rdma"),
    ),
    output(
        "ibdev2netdev",
        r"ibdev2netdev(?: -v)?",
        (r"^\S.* port \d+ (?:\(.*\) )?<?=+> \S+ \(", PROOF, "line of ibdev2netdev"),
    ),
    output(
        "show_gids",
        r"show_gids(?: .*)?",
        (r"^\s*DEV\s+PORT\s+INDEX\s+GID\s+IPv4\s+VER", PROOF, "heading of show_gids"),
        run="show_gids",
    ),
    output(
        "ibv_devinfo",
        r"ibv_devinfo(?P<asked>(?: .*)?)",
        (r"^hca_id:\s+\S+", PROOF, "device of ibv_devinfo"),
        (
            r"\ANo IB devices found|\AIB device '.*' wasn't found",
            PROOF,
            "ibv_devinfo without device",
        ),
        run="ibv_devinfo -v",
    ),
    output(
        "cma_roce_tos",
        r"cma_roce_tos(?: -d (?P<nic>\S+)| -p (?P<number>\d+)| -t \d+)*",
        file_name=name_with_argument("cma_roce_tos", "nic"),
    ),
    output(
        "cma_roce_mode",
        r"cma_roce_mode(?: -d (?P<nic>\S+)| -p (?P<number>\d+)| -m \d+)*",
        file_name=name_with_argument("cma_roce_mode", "nic"),
    ),
    output(
        "mlxconfig",
        r"m(?:lx|st)config\b.*? (?:-d|--dev) ?(?P<device>\S+)(?: .*)? (?:q|query)(?: .*)?",
        (r"^\s*(?:\*\s*)?(?:ROCE_CC_PRIO_MASK|LINK_TYPE|RPG_GD)_P1\s+\w", PROOF, "NIC parameter"),
        (r"^Device #\d+:", GOOD, "device of mlxconfig"),
        file_name=name_with_argument("m(?:lx|st)config", "device"),
    ),
    # NIC vendors' tools: Broadcom, Intel, AMD.
    output(
        "niccli-devices",
        r"niccli (?:.* )?--?list(?:_?dev(?:ices)?)?",
        (r"^\d+\) Broadcom .*\n\s+Device Interface", PROOF, "list of niccli"),
    ),
    output(
        "niccli-qos",
        r"(?:niccli|bnxtqos)\b(?=.*(?:get_?qos|qos .*--?show))"
        r"(?:.* -{1,2}(?:dev|i|pci)[ =](?P<device>[\w.:@-]+))?.*",
        (r"^\s*IEEE 8021QAZ (?:ETS Configuration|PFC|APP) TLV:\s*$", PROOF, "element of niccli"),
        file_name=name_with_argument("(?:niccli|bnxtqos)(?:[-_]qos)?"),
    ),
    json_output(
        "devlink-json",
        rf"devlink{JSON} dev param show(?: .*)?",
        (r'\A\s*\{\s*"param":\s*\{', PROOF, "parameters of devlink"),
        run="devlink -j dev param show",
    ),
    output(
        "devlink",
        rf"devlink{TEXT} dev param show(?: .*)?",
        (r"^pci/\S+:\n\s+name \w+ type ", PROOF, "parameters of devlink"),
    ),
    config(
        "modprobe",
        Form.RAW,
        Signature(r"^options\s+irdma\s.*\broce_ena=", PROOF, "option of irdma"),
        Signature(r"^options\s+ko2iblnd\s(?:.*\s)?tos=", PROOF, "traffic class of Lustre"),
        command=r"cat /etc/modprobe\.d/\S+",
    ),
    json_output(
        "nicctl-lif",
        r"nicctl show lif(?=.* (?:-j|--json)).*",
        (r'"rdma_mtu":\s*"', PROOF, "logical interface of nicctl"),
        run="nicctl show lif -j",
    ),
    json_output(
        "nicctl-port-json",
        r"nicctl show port(?=.* (?:-j|--json)).*",
        (r'"pause_type":\s*"', PROOF, "port of nicctl"),
        run="nicctl show port -j",
    ),
    output(
        "nicctl-port",
        r"nicctl show port(?!.* (?:-j|--json)).*",
        (r"^\s*Pause type\s+: (?:PFC|LINK|NONE)", PROOF, "port of nicctl"),
    ),
    output(
        "nicctl-qos",
        r"nicctl show qos(?! headroom)(?!.* (?:-j|--json)).*",
        (r"^\s*PFC no-drop priorities\s*:", PROOF, "PFC of nicctl"),
        (r"^\s*Classification type\s*: (?:DSCP|PCP)", PROOF, "classification of nicctl"),
        run="nicctl show qos",
        file_name=name_with_argument("nicctl[-_]qos"),
    ),
    output(
        "nicctl-dcqcn",
        r"nicctl show dcqcn(?!.* (?:-j|--json)).*",
        (r"^\s*DCQCN profile id\s*:", PROOF, "DCQCN of nicctl"),
        (r"^\s*ROCE device\s*:", GOOD, "RDMA device of nicctl"),
        run="nicctl show dcqcn",
    ),
    output(
        "nicctl-json",
        r"nicctl show (?P<subject>qos|dcqcn)(?! headroom)(?=.* (?:-j|--json)).*",
        (_NICCTL + r'\s*"', GOOD, "adapters of nicctl as JSON"),
        file_name=r"^nicctl[-_](?:show[-_])?(?P<subject>qos|dcqcn)(?:[-_].*)?\.json$",
    ),
    # PCI, rules for packets, kernel settings, other.
    output(
        "lspci",
        r"lspci(?: .*)?",
        (
            r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] PCI bridge(?: \[0604\])?: ",
            PROOF,
            "bridge of lspci",
        ),
        run="lspci -vvv",
    ),
    output(
        "iptables",
        r"ip6?tables(?:-save|-legacy-save|-nft-save|(?: -t \w+)? -S)\b.*",
        (r"\A(?:#.*\n)*\*(?:mangle|filter|nat|raw)$", PROOF, "table of iptables-save"),
        run="iptables-save",
    ),
    output(
        "nft",
        r"nft(?: -\S+)* list .*",
        (r"^\s*type \w+ hook \w+ (?:device \S+ )?priority ", PROOF, "hook of nftables"),
        run="nft list ruleset",
    ),
    output(
        "sysfs",
        r"(?:grep|head|tail|cat|find)\b.*?(?P<path>/(?:sys|proc/sys)/\S*).*",
        (r"^/sys/class/net/[^/:]+/(?:ecn/roce_|qos/)", PROOF, "QoS or ECN file of an interface"),
        (r"^/sys/class/infiniband/[^:]+:", PROOF, "file of an RDMA device"),
        (r"^/sys/kernel/config/rdma_cm/", PROOF, "default of rdma_cm"),
        (r"^/sys/(?:class/net|kernel/debug/mlx5)/[^:]+:", GOOD, "file of an interface"),
        (r"\A\s*Global tclass=\d+", PROOF, "forced traffic class"),
        file_name=r"^(?:sysfs[-_])?traffic_class[-_](?P<nic>\w+)\.txt$",
    ),
    output(
        "sysctl",
        r"sysctl\b(?!.* -w).*",
        (r"^net\.(?:ipv4|core)\.[\w./]+ = ", GOOD, "setting as sysctl prints it"),
    ),
    Source(
        "hostname",
        Form.RAW,
        Plane.STATE,
        command=BEFORE + r"(?:hostname(?: -\S+)?|uname -n|hostnamectl hostname)|cat /etc/hostname",
        file_name=r"^hostname(?:\.txt)?$",
        hostname=r"^(?!#)(?P<name>[A-Za-z0-9][\w.-]*)[ \t\r]*$",
    ),
    output(
        "os-release",
        r"cat /etc/os-release.*",
        (r"^PRETTY_NAME=", GOOD, "os-release"),
        file_name=r"^os-release",
    ),
    output(
        "environment",
        r"(?:env|printenv)(?: .*)?|(?:cat|tr) .*/proc/\S+/environ.*",
        file_name=r"^env(?:ironment)?\.txt$",
        environment=True,
    ),
    output(
        "not-read",
        r"(?:uname|lscpu|lsmod|ofed_info|modinfo|dmesg|nvidia-smi|ibv_devices|mlxlink|mstlink"
        r"|mlxreg|mstreg|mlxfwmanager|devlink|lldptool|nicctl|niccli|bnxtqos|dcb|ethtool|rdma|ip|ss"
        r"|numactl|show_counters|ps|pgrep|cat /proc|lldpcli|lldpctl|networkctl|tc|perfquery"
        r"|roce-lint host-script)\b.*",
        (
            r"^tc-maxrate 0:|\"tc_maxrate\":",
            PROOF,
            "rates of dcb, in a unit that depends on its release",
        ),
        (r'"autonegotiate":\s*(?:true|false)', PROOF, "pause of ethtool as JSON, wrong in 6.1"),
        (r"\ANIC statistics:", PROOF, "counters of ethtool"),
        (
            _NICCTL + r'[\s\S]{0,2000}?"(?:product_name|statistics|queue_pair)":\s*["{\[]',
            GOOD + 1,
            "cards and counters of nicctl as JSON",
        ),
        has_settings=False,
    ),
)
