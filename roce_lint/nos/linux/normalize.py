"""From the files of one host to its Device."""

from __future__ import annotations

from collections.abc import Callable

from roce_lint.model.device import Device, Role
from roce_lint.model.qos import HeadroomModel, QosObjects, SystemQos
from roce_lint.nos.linux import (
    dcb,
    environment,
    ethtool,
    firmware,
    links,
    lldp,
    mlnx_qos,
    rdma,
    scripts,
    sysfs,
)
from roce_lint.nos.linux.claims import Claims
from roce_lint.nos.linux.host import KERNEL, Host, lines_of
from roce_lint.nos.linux.interfaces import build_interfaces
from roce_lint.nos.linux.nics import build_emissions, build_nics
from roce_lint.nos.reading import ABSENT, Input, Reading, Value


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
    "sysfs": sysfs.read_sysfs,
    "sysctl": sysfs.read_sysctl,
    "sysctl-conf": sysfs.read_sysctl,
    "mlxconfig": firmware.read_mlxconfig,
    "lldp": lldp.read_neighbors,
    "lldp-text": lldp.read_text,
    "environment": environment.read_dump,
    "environment-file": environment.read_environment,
    "script": scripts.read_script,
    "systemd-unit": scripts.read_unit,
    "not-read": leave,
}
"""Readers by source. The order is that of trust and need: who knows the ports comes first."""


def normalize(reading: Reading) -> Device:
    """Build the Device of one host."""
    host = Host(reading, Claims(reading))
    by_source: dict[str, list[Input]] = {}
    for entry in reading.inputs:
        by_source.setdefault(entry.source.name, []).append(entry)
    for source, reader in READERS.items():
        for entry in by_source.get(source, ()):
            reader(host, entry)
    objects = QosObjects()
    interfaces = build_interfaces(host, objects)
    nics = build_nics(host, interfaces)
    variables = environment.settle_environment(host)
    kernel = {name: host.claims.get(KERNEL, name, "value") for name in host.claims.names(KERNEL)}
    version = host.os_version or ABSENT
    device = reading.build(
        Device,
        1,
        hostname=reading.hostname,
        nos=reading.nos,
        role=Role.HOST,
        os_version=version,
        partial=not any(name in by_source for name in WHOLE_LISTS),
        interfaces=interfaces,
        qos=objects,
        system=_system(reading, objects),
        nics=nics,
        emits=build_emissions(host, nics),
        environment={name: value.value for name, value in variables.items()},
        kernel={name: value.value for name, value in kernel.items() if value},
    )
    for name, value in [*variables.items(), *kernel.items()]:
        if value and value.position:
            device.at[name] = value.position
    return device


WHOLE_LISTS = ("ip-link-json", "ip-addr-json", "ip-link")
"""Outputs that list all interfaces; without one, what is missing is unknown and not absent."""


def _system(reading: Reading, objects: QosObjects) -> SystemQos:
    """Receive buffers that are stated are the operator's; else the firmware sizes them."""
    stated = bool(objects.ingress_buffers)
    return reading.build(
        SystemQos,
        1,
        headroom=HeadroomModel.MANUAL if stated else HeadroomModel.PLATFORM,
        has_qos=bool(objects.classifiers or objects.forwardings),
    )
