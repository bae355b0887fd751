"""Identification by command, name and content; other files are not identified as a host's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roce_lint.errors import UnknownFormat
from roce_lint.loading.decode import decode
from roce_lint.loading.identify import identify
from roce_lint.nos.declare import Form
from roce_lint.nos.linux import NOS
from roce_lint.nos.linux.normalize import READERS
from roce_lint.text.extract import extract
from tests.nos.linux.reading import MLNX_QOS

OTHERS = ("cumulus", "eos", "iosxr", "junos", "nxos", "os10", "sonic", "sonic-ent", "srlinux")

RECOGNISED = {
    "dcb-pfc-*.json": "dcb-pfc-json",
    "dcb-ets-*.json": "dcb-ets-json",
    "dcb-app-[gm]*.json": "dcb-app-json",
    "dcb-buffer-*.json": "dcb-buffer-json",
    "dcb-dcbx-*.json": "dcb-dcbx-json",
    "dcb-maxrate-*": "not-read",
    "dcb-[bep]*.txt": "dcb",
    "dcb-dcbx-*.txt": "dcb",
    "dcb-app-[gm]*.txt": "dcb",
    "mlnx_qos-*": "mlnx_qos",
    "ip-d-j-link.json": "ip-link-json",
    "ip-j-addr.json": "ip-addr-json",
    "ip-d-link.txt": "ip-link",
    "ethtool.txt": "ethtool",
    "ethtool-i.txt": "ethtool-driver",
    "ethtool-a.txt": "ethtool-pause",
    "ethtool-a-json-bug.json": "not-read",
    "lldpcli-*.json*": "lldp",
    "lldpcli-*.plain": "lldp-text",
    "lldptool-t*.txt": "lldptool",
    "lldpad.conf": "lldpad",
    "rdma-link*.txt": "rdma-link",
    "rdma-link.json": "rdma-link-json",
    "show_gids*": "show_gids",
    "ibv_devinfo*": "ibv_devinfo",
    "sysctl.txt": "sysctl",
    "sysfs-*": "sysfs",
    "configfs-*": "sysfs",
}
"""Captures of the laboratory, by the part of their name after `lab-`."""


def source_of(path: Path) -> tuple[str, str] | None:
    text = decode(path.read_bytes()).text
    if text is None:
        return None
    try:
        identity = identify(path.name, text)
    except UnknownFormat:
        return None
    return identity.nos, identity.source


@pytest.mark.parametrize("pattern", RECOGNISED)
def test_captures_are_recognised(corpus: Path, pattern: str) -> None:
    files = sorted((corpus / "host").glob(f"lab-{pattern}"))
    assert files != []
    assert {path.name: source_of(path) for path in files} == {
        path.name: ("linux", RECOGNISED[pattern]) for path in files
    }


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("nccl-env-oci-h100.env", "job-values"),  # a template
        ("nccl-env-oci-a100-b48.env", "environment-file"),
        ("nccl-env-cvs-ainic.sh", "job-script"),
        ("excerpt-mlxconfig-q-three-columns.txt", "mlxconfig"),
        ("excerpt-show_gids-mlx5.txt", "show_gids"),
        ("excerpt-sysfs-traffic-class-global.txt", "sysfs"),
        ("rdma-link-ionic.txt", "rdma-link"),
        ("netplan-dgx-spark-two.yaml", "netplan"),
        ("netplan-dgx-spark-three.yaml", "netplan"),
        ("netplan-network-operator-mtu9000.yaml", "netplan"),
        ("nicctl-show-lif.json", "nicctl-lif"),
        ("nicctl-show-port.json", "nicctl-port-json"),
        ("excerpt-nicctl-show-port.txt", "nicctl-port"),
        ("excerpt-nicctl-show-qos.txt", "nicctl-qos"),
        ("excerpt-nicctl-show-dcqcn.txt", "nicctl-dcqcn"),
        ("excerpt-niccli-getqos.txt", "niccli-qos"),
        ("excerpt-niccli-list-devices.txt", "niccli-devices"),
        ("excerpt-lldptool-t-e810.txt", "lldptool"),
        ("ip-link-ionic-vf.txt", "ip-link"),
    ],
)
def test_files_of_sites_are_recognised(corpus: Path, name: str, source: str) -> None:
    assert source_of(corpus / "host" / name) == ("linux", source)


def test_documents_are_not_taken_for_outputs(corpus: Path) -> None:
    documents = [
        path
        for path in sorted((corpus / "host").iterdir())
        if path.name.startswith(("k8s-", "nmstate-", "cloud-", "ansible-"))
    ]
    assert len(documents) > 20
    found = {path.name: reported for path in documents if (reported := source_of(path))}
    assert set(found.values()) == {("linux", "manifest")}
    assert {path.name for path in documents} - found.keys() == {
        "ansible-deepops-roce-backend-vars.yml",
        "cloud-oci-shapes.json",
        "k8s-amd-networkconfig.yaml",
        "k8s-dranet-gke-gib.yaml",
        "k8s-nicdevice-sample.yaml",
        "nmstate-eth1-sriov.yml",
        "nmstate-vlan101.yml",
    }


@pytest.mark.parametrize("folder", OTHERS)
def test_switches_are_not_taken_for_hosts(corpus: Path, folder: str) -> None:
    files = [path for path in (corpus / folder).rglob("*") if path.is_file()]
    assert files != []
    taken = {p.name: found for p in files if (found := source_of(p)) and found[0] == "linux"}
    assert taken == {}


@pytest.mark.parametrize(
    "text",
    [
        '{"host": true, "ieee": true, "name": "x"}',
        '{"order": ["a"], "items": []}',
        '{"mtu": 9000, "ifname": "eth0"}',
        '{"FEATURE": {"lldp": {"state": "enabled"}}}',
        "#!/bin/bash\necho hello\n",
        "#!/bin/sh\nip link set eth0 up\n",
        "A=1\nB=2\n",
        "106\n",
        "[Service]\nExecStart=/usr/bin/true\n",
        "interface Ethernet1\n   mtu 9214\n",
        "the priority is 3\n",
        "- name: NCCL_DEBUG\n  value: '106'\n",
        "data:\n  run.sh: |\n    mlnx_qos -i eth0 --trust dscp\n",
    ],
)
def test_other_texts_are_no_business_of_hosts(text: str) -> None:
    with pytest.raises(UnknownFormat):
        identify("x.txt", text, only="linux")


@pytest.mark.parametrize(
    ("command", "source", "args"),
    [
        ("mlnx_qos -i enp65s0np0", "mlnx_qos", {"port": "enp65s0np0"}),
        ("sudo mlnx_qos -a -i ens1", "mlnx_qos", {"port": "ens1"}),
        ("/usr/bin/mlnx_qos --interface=ens1 -a", "mlnx_qos", {"port": "ens1"}),
        ("mlnx_qos -i ens1 --trust dscp", "mlnx_qos", {"port": "ens1"}),
        ("dcb -s -j pfc show dev ens1", "dcb-pfc-json", {"port": "ens1"}),
        ("dcb -jp ets show dev ens1", "dcb-ets-json", {"port": "ens1"}),
        ("/opt/mellanox/iproute2/sbin/dcb -N --json app show dev ens1", "dcb-app-json", {"port": "ens1"}),
        ("dcb -N app show dev ens1", "dcb", {"port": "ens1"}),
        ("dcb pfc show dev ens1", "dcb", {"port": "ens1"}),
        ("dcb -j maxrate show dev ens1", "not-read", {}),
        ("LC_ALL=C ip -d -j link show", "ip-link-json", {}),
        ("ip -j addr", "ip-addr-json", {}),
        ("ip -d link", "ip-link", {}),
        ("ip address show", "ip-link", {}),
        ("ip -j route show table all", "not-read", {}),
        ("rdma -j link show", "rdma-link-json", {"asked": " show"}),
        ("rdma link", "rdma-link", {"asked": ""}),
        ("rdma link show mlx5_0/1", "rdma-link", {"asked": " show mlx5_0/1"}),
        ("ibv_devinfo -v -d mlx5_0", "ibv_devinfo", {"asked": " -v -d mlx5_0"}),
        ("rdma -j statistic show", "not-read", {}),
        ("ethtool ens1", "ethtool", {"port": "ens1"}),
        ("ethtool -i ens1", "ethtool-driver", {"port": "ens1"}),
        ("ethtool -a ens1", "ethtool-pause", {"port": "ens1"}),
        ("ethtool -S ens1", "not-read", {}),
        ("cma_roce_tos -d mlx5_0 -p 1", "cma_roce_tos", {"nic": "mlx5_0", "number": "1"}),
        ("mlxconfig -d 0000:41:00.0 -e q", "mlxconfig", {"device": "0000:41:00.0"}),
        ("mstconfig -d 41:00.0 query CNP_DSCP_P1", "mlxconfig", {"device": "41:00.0"}),
        ("lldpcli -f json0 show neighbors details", "lldp", {}),
        ("lldpcli show neighbors", "lldp-text", {}),
        ("lldpcli -f xml show neighbors", "lldp-other", {}),
        ("lldpctl -f keyvalue", "lldp-keyvalue", {}),
        ("lldptool -t -i ens1", "lldptool", {"port": "ens1"}),
        ("lldptool -ti ens1 -V PFC -c", "lldptool", {"port": "ens1", "tlv": "PFC"}),
        ("lldptool -t -n -i ens1", "lldptool-neighbor", {"port": "ens1"}),
        ("lldptool -tni ens1", "lldptool-neighbor", {"port": "ens1"}),
        ("lldptool -T -i ens1 -V PFC enabled=3", "not-read", {}),
        ("cat /var/lib/lldpad/lldpad.conf", "lldpad", {}),
        ("cat /etc/netplan/60-rdma.yaml", "netplan", {"path": "/etc/netplan/60-rdma.yaml"}),
        (
            "cat /etc/systemd/network/10-ens1.network",
            "networkd",
            {"path": "/etc/systemd/network/10-ens1.network"},
        ),
        (
            "cat /etc/NetworkManager/system-connections/ens1.nmconnection",
            "keyfile",
            {"path": "/etc/NetworkManager/system-connections/ens1.nmconnection"},
        ),
        (
            "cat /etc/sysconfig/network-scripts/ifcfg-ens1",
            "ifcfg",
            {"path": "/etc/sysconfig/network-scripts/ifcfg-ens1"},
        ),
        ("niccli -dev 1 getqos", "niccli-qos", {"device": "1"}),
        ("niccli --dev 0000:22:00.0 qos --ets --show", "niccli-qos", {"device": "0000:22:00.0"}),
        ("bnxtqos -dev=ens1 get_qos", "niccli-qos", {"device": "ens1"}),
        ("niccli --list_devices", "niccli-devices", {}),
        ("niccli -dev 1 nvm getoption", "not-read", {}),
        ("sudo nicctl show qos", "nicctl-qos", {}),
        ("nicctl show port -j", "nicctl-port-json", {}),
        ("nicctl show port", "nicctl-port", {}),
        ("nicctl show lif -j", "nicctl-lif", {}),
        ("nicctl show card -j", "not-read", {}),
        ("nicctl show dcqcn", "nicctl-dcqcn", {}),
        ("sudo nicctl show qos --json", "nicctl-json", {"subject": "qos"}),
        ("nicctl show dcqcn --card 42 -j", "nicctl-json", {"subject": "dcqcn"}),
        ("nicctl show qos headroom", "not-read", {}),
        ("nicctl show qos headroom --json", "not-read", {}),
        ("devlink -j dev param show", "devlink-json", {}),
        ("devlink dev param show pci/0000:af:00.0", "devlink", {}),
        ("cat /etc/modprobe.d/irdma.conf", "modprobe", {}),
        ("grep -r . /sys/class/net/ens1/ecn/", "sysfs", {"path": "/sys/class/net/ens1/ecn/"}),
        ("cat /etc/nccl.conf", "environment-file", {"path": "/etc/nccl.conf"}),
        ("cat /etc/hostname", "hostname", {}),
        ("cat /etc/rc.d/roce.sh", "script", {}),
        ("sysctl -a", "sysctl", {}),
        ("env | grep NCCL", "environment", {}),
    ],
)  # fmt: skip
def test_commands(command: str, source: str, args: dict[str, str]) -> None:
    identity = identify("x.txt", f"# command: {command}  host: gpu-1\n{{}}\n")
    assert (identity.nos, identity.source, identity.host) == ("linux", source, "gpu-1")
    assert identity.args == args


def test_every_source_has_a_reader() -> None:
    assert set(READERS) == {source.name for source in NOS.sources}


def test_live_commands_only_show() -> None:
    runs = [source.run for source in NOS.sources if source.run]
    assert runs != []
    assert [run for run in runs if re.search(r"\b(set|add|del|write|mkdir|-w)\b", run)] == []


def test_every_variable_of_a_template_is_read(root: Path) -> None:
    code = (root / "roce_lint/nos/linux/nic/mlnx_qos.py").read_text()
    for source in NOS.sources:
        if source.form is Form.LINES:
            text = (root / "templates/linux/parse" / f"{source.name}.ttp").read_text()
            names = set(re.findall(r"\{\{ (\w+) \|", text)) | set(
                re.findall(r'name="(\w+)\*"', text)
            )
            assert names != set()
            assert {name for name in names if f'"{name}"' not in code} == set()


def test_every_line_of_mlnx_qos_is_matched(root: Path) -> None:
    text = (root / "templates/linux/parse/mlnx_qos.ttp").read_text()
    lines = MLNX_QOS.split("\n")
    states = bytearray(len(lines))
    records = extract(text, "mlnx_qos.ttp", lines, 0, states, NOS.patterns)
    left = [line.strip() for line, state in zip(lines, states, strict=True) if state == 4]
    assert left == [
        "dscp2prio mapping:",
        "default priority:",
        "PFC configuration:",
        "priority    0   1   2   3   4   5   6   7",
    ]
    groups = [record.group for record in records]
    assert [groups.count(name) for name in ("dscp_map", "tc", "pfc")] == [3, 4, 1]


@pytest.mark.parametrize(
    "line",
    [
        "ethtool -A ens1 rx on tx on",
        "ethtool --pause ens1 autoneg off rx off tx off",
        "ethtool --set-priv-flags ens1 fw-lldp-agent off",
    ],
)
def test_a_script_that_only_sets_pause_or_the_agent_of_the_firmware(line: str) -> None:
    assert identify("setup.sh", f"#!/bin/sh\nset -e\n{line}\n").source == "script"


def test_a_script_for_other_things_is_passed_over() -> None:
    with pytest.raises(UnknownFormat):
        identify("setup.sh", "#!/bin/sh\nethtool -G ens1 rx 8192\nip link set ens1 up\n")
