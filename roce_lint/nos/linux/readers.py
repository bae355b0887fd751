"""Who reads what: the readers of a host's files by the name of their source."""

from __future__ import annotations

from collections.abc import Callable

from roce_lint.nos.linux import dcb, environment, ethtool, links, packet_marks, pci, rdma, sysfs
from roce_lint.nos.linux.cluster import manifest, variables
from roce_lint.nos.linux.dcbx import lldpad, lldpcli, lldptool
from roce_lint.nos.linux.declared import ifupdown, keyfile, netplan, networkd, scripts, tasks
from roce_lint.nos.linux.host import Host, lines_of
from roce_lint.nos.linux.nic import amd, broadcom, intel, mlnx_qos, mlxconfig
from roce_lint.nos.reading import Input, Value


def read_release(host: Host, entry: Input) -> None:
    """Take in /etc/os-release."""
    for number, line in lines_of(entry):
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME":
            host.os_version = Value(value.strip('"'), host.line(entry, number))


def read_hostname(host: Host, entry: Input) -> None:
    """The name was taken when files were grouped; here its line only counts as understood."""
    for number, _ in lines_of(entry)[:1]:
        host.line(entry, number)


def leave(_host: Host, _entry: Input) -> None:
    """An output that is known and says nothing about how RoCE is set up."""


READERS: dict[str, Callable[[Host, Input], None]] = {
    "hostname": read_hostname,
    "os-release": read_release,
    "ip-link-json": links.read_json,
    "ip-addr-json": links.read_json,
    "ip-link": links.read_text,
    "rdma-link-json": rdma.read_link_json,
    "rdma-link": rdma.read_link_text,
    "ibdev2netdev": rdma.read_link_text,
    "show_gids": rdma.read_show_gids,
    "ibv_devinfo": rdma.read_devinfo,
    "ethtool-driver": ethtool.read_driver,
    "ethtool": ethtool.read_settings,
    "ethtool-pause": ethtool.read_pause,
    "ethtool-fec": ethtool.read_fec,
    "ethtool-flags": ethtool.read_flags,
    "devlink-json": intel.read_devlink,
    "devlink": intel.read_devlink_text,
    "niccli-devices": broadcom.read_devices,
    "nicctl-lif": amd.read_lif_json,
    "nicctl-port-json": amd.read_port_json,
    "nicctl-port": amd.read_port_text,
    "nicctl-qos": amd.read_qos,
    "nicctl-dcqcn": amd.read_dcqcn,
    "nicctl-json": amd.leave_json,
    "niccli-qos": broadcom.read_qos,
    "modprobe": environment.read_module_options,
    "mlnx_qos": mlnx_qos.read_mlnx_qos,
    "dcb-pfc-json": dcb.read_json,
    "dcb-ets-json": dcb.read_json,
    "dcb-app-json": dcb.read_json,
    "dcb-buffer-json": dcb.read_json,
    "dcb-dcbx-json": dcb.read_json,
    "dcb-apptrust-json": dcb.read_json,
    "dcb": dcb.read_text,
    "cma_roce_tos": rdma.read_cma,
    "cma_roce_mode": rdma.read_cma,
    "lspci": pci.read_lspci,
    "iptables": packet_marks.read_iptables,
    "nft": packet_marks.read_nft,
    "sysfs": sysfs.read_sysfs,
    "sysctl": sysfs.read_sysctl,
    "sysctl-conf": sysfs.read_sysctl,
    "mlxconfig": mlxconfig.read_mlxconfig,
    "lldp": lldpcli.read_neighbors,
    "lldp-text": lldpcli.read_lines,
    "lldp-keyvalue": lldpcli.read_keyvalue,
    "lldp-other": lldpcli.leave_other,
    "lldptool": lldptool.read_local,
    "lldptool-neighbor": lldptool.read_neighbor,
    "lldpad": lldpad.read_lldpad,
    "environment": environment.read_dump,
    "environment-file": environment.read_environment,
    "ceph-conf": environment.read_ceph,
    "networkd": networkd.read_networkd,
    "netplan": netplan.read_netplan,
    "keyfile": keyfile.read_keyfile,
    "interfaces": ifupdown.read_interfaces,
    "ifcfg": ifupdown.read_ifcfg,
    "manifest": manifest.read_manifest,
    "job-values": variables.read_lines,
    "playbook": tasks.read_playbook,
    "cloud-init": tasks.read_cloud_init,
    "job-script": scripts.read_script,
    "script": scripts.read_script,
    "systemd-unit": scripts.read_unit,
    "not-read": leave,
}
"""Readers by source. The order is that of trust and need: who knows the ports comes first."""
