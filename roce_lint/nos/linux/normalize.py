"""Builds the Device of a host from its files, by the reader of each source."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from roce_lint.model.device import Device, Limits, Role
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import HeadroomModel, QosObjects, SystemQos
from roce_lint.nos import lldpcli
from roce_lint.nos.linux import dcb, environment, links, lldptool, packet_marks, rdma, sysfs
from roce_lint.nos.linux.claims import Claims
from roce_lint.nos.linux.declared import ifupdown, networkd, scripts, tasks
from roce_lint.nos.linux.declared.network import compare_with_live, leaf_of
from roce_lint.nos.linux.emissions import build_emissions
from roce_lint.nos.linux.host import ENVIRONMENT, KERNEL, Host, lines_of
from roce_lint.nos.linux.interfaces import build_interfaces
from roce_lint.nos.linux.manifest import read_manifest, read_variable_lines
from roce_lint.nos.linux.nic import amd, broadcom, intel, mlnx_qos, mlxconfig
from roce_lint.nos.linux.nics import build_nics, read_lspci
from roce_lint.nos.linux.rdma import LISTS, lists_all
from roce_lint.nos.linux.sources import DCB_SUBJECTS
from roce_lint.nos.reading import Input, Reading, Value


def read_release(host: Host, entry: Input) -> None:
    """Read /etc/os-release."""
    for number, line in lines_of(entry):
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME":
            host.os_version = Value(value.strip('"'), host.line(entry, number))


def read_hostname(host: Host, entry: Input) -> None:
    """Mark the host name as understood; it was used to group files."""
    for number, _ in lines_of(entry)[:1]:
        host.line(entry, number)


READERS: dict[str, Callable[[Host, Input], None]] = {
    "hostname": read_hostname, "os-release": read_release,
    **dict.fromkeys(("ip-link-json", "ip-addr-json"), links.read_json), "ip-link": links.read_text,
    "rdma-link-json": rdma.read_link_json,
    **dict.fromkeys(("rdma-link", "ibdev2netdev"), rdma.read_link_text),
    "show_gids": rdma.read_show_gids, "ibv_devinfo": rdma.read_devinfo,
    **dict.fromkeys(("ethtool-driver", "ethtool"), links.read_ethtool),
    "ethtool-pause": links.read_pause, "ethtool-fec": links.read_fec,
    "ethtool-flags": links.read_ethtool,
    "devlink-json": intel.read_devlink, "devlink": intel.read_devlink_text,
    "niccli-devices": broadcom.read_devices, "nicctl-lif": amd.read_lif_json,
    "nicctl-port-json": amd.read_port_json, "nicctl-port": amd.read_port_text,
    "nicctl-qos": amd.read_qos, "nicctl-dcqcn": amd.read_dcqcn, "nicctl-json": amd.leave_json,
    "niccli-qos": broadcom.read_qos, "modprobe": environment.read_module_options,
    "mlnx_qos": mlnx_qos.read_mlnx_qos,
    **{f"dcb-{subject}-json": dcb.read_json for subject in DCB_SUBJECTS}, "dcb": dcb.read_text,
    **dict.fromkeys(("cma_roce_tos", "cma_roce_mode"), rdma.read_cma), "lspci": read_lspci,
    "iptables": packet_marks.read_iptables, "nft": packet_marks.read_nft,
    "sysfs": sysfs.read_sysfs, **dict.fromkeys(("sysctl", "sysctl-conf"), sysfs.read_sysctl),
    "mlxconfig": mlxconfig.read_mlxconfig, "lldp": partial(lldptool.hear, lldpcli.read_tree),
    "lldp-text": partial(lldptool.hear, lldpcli.read_text),
    "lldp-keyvalue": partial(lldptool.hear, lldpcli.read_keys), "lldp-other": lldptool.leave_other,
    "lldptool": lldptool.read_local, "lldptool-neighbor": lldptool.read_neighbor,
    "lldpad": lldptool.read_lldpad, "environment": environment.read_dump,
    "environment-file": environment.read_environment, "ceph-conf": environment.read_ceph,
    "networkd": networkd.read_networkd, "netplan": networkd.read_netplan,
    "keyfile": networkd.read_keyfile, "interfaces": ifupdown.read_interfaces,
    "ifcfg": ifupdown.read_ifcfg, "manifest": read_manifest, "job-values": read_variable_lines,
    "playbook": tasks.read_playbook, "cloud-init": tasks.read_cloud_init,
    **dict.fromkeys(("job-script", "script"), scripts.read_script),
    "systemd-unit": scripts.read_unit, "not-read": lambda _host, _entry: None,
}  # fmt: skip
"""Readers by source, in order of trust and need: those that know the ports come first."""


def normalize(reading: Reading) -> Device:
    """Build the Device of one host."""
    host = Host(reading, Claims(reading))
    by_source: dict[str, list[Input]] = {}
    for entry in reading.inputs:
        by_source.setdefault(entry.source.name, []).append(entry)
    for source, reader in READERS.items():
        entries = by_source.get(source, [])
        if source in ("netplan", "networkd", "keyfile", "interfaces", "ifcfg"):
            entries = sorted(entries, key=leaf_of)  # the tool merges its files in name order
        for entry in entries:
            reader(host, entry)
            if source in NEVER_EMPTY:
                host.note_unread(entry)
    compare_with_live(host)
    host.settle_refusals()
    objects = QosObjects()
    interfaces = build_interfaces(host, objects)
    variables_only = not host.unplaced and host.claims.only(ENVIRONMENT, environment.UNCLEAR)
    of_jobs = (".service", ".env") if variables_only else ()
    fleet = all(e.source.apart or e.text.name.endswith(of_jobs) for e in reading.inputs)
    unread = [] if fleet else host.note_open_settings()
    if fleet:
        for interface in interfaces.values():
            interface.kind = InterfaceKind.VF  # of some host: none that is cabled here
    nics = {} if fleet else build_nics(host, interfaces)
    variables = environment.settle_environment(host)
    known = {name: value.value for name, value in variables.items() if value.value is not None}
    kernel = {name: host.claims.get(KERNEL, name, "value") for name in host.claims.names(KERNEL)}
    pfcs = [port.qos.pfc for port in interfaces.values() if port.qos and port.qos.pfc]
    device = reading.build(
        Device,
        1,
        hostname=reading.hostname,
        nos=reading.nos,
        role=Role.OTHER if fleet else Role.HOST,
        os_version=host.os_version,
        fleet=fleet or None,
        partial=not any(name in by_source for name in WHOLE_LISTS),
        nics_partial=not any(lists_all(e) for name in LISTS for e in by_source.get(name, ())),
        interfaces=interfaces,
        qos=objects,
        system=reading.build(
            SystemQos,
            1,
            # Receive buffers: the operator's if stated; else sized by the firmware.
            headroom=HeadroomModel.MANUAL if objects.ingress_buffers else HeadroomModel.PLATFORM,
            has_qos=bool(objects.classifiers or objects.forwardings),
        ),
        nics=nics,
        unread=unread,
        emits=build_emissions(host, nics, known),
        environment=known,
        kernel={name: value.value for name, value in kernel.items() if value},
        policies=host.policies,
        node_pools=host.pools,
        limits=LIMITS if any(pfc.cable_m is not None for pfc in pfcs) else Limits(),
    )
    for name, value in [*variables.items(), *kernel.items()]:
        if value.position > 0:  # also a variable with an unknown value
            device.at[name] = value.position
    return device


NEVER_EMPTY = (
    *("ip-link", "rdma-link", "mlxconfig"),
    *("niccli-devices", "niccli-qos", "nicctl-port", "nicctl-qos", "nicctl-dcqcn"),
)
"""Outputs that always have a known line; other text is an error message."""

LIMITS = Limits(assumed_cable_m=7.0)
"""Cable length that mlx5 assumes for headroom by default (docs/nos/linux.md)."""

WHOLE_LISTS = ("ip-link-json", "ip-addr-json", "ip-link")
"""Outputs that list all interfaces; without one, missing interfaces are unknown, not absent."""
