"""From the files of one host to its Device."""

from __future__ import annotations

from roce_lint.model.device import Device, Limits, Role
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import HeadroomModel, QosObjects, SystemQos
from roce_lint.nos.linux import environment
from roce_lint.nos.linux.claims import Claims
from roce_lint.nos.linux.declared.network import compare_with_live, leaf_of
from roce_lint.nos.linux.emissions import build_emissions
from roce_lint.nos.linux.host import ENVIRONMENT, KERNEL, Host
from roce_lint.nos.linux.interfaces import build_interfaces
from roce_lint.nos.linux.nics import build_nics
from roce_lint.nos.linux.rdma import LISTS, lists_all
from roce_lint.nos.linux.readers import READERS
from roce_lint.nos.reading import ABSENT, Input, Reading


def normalize(reading: Reading) -> Device:
    """Build the Device of one host."""
    host = Host(reading, Claims(reading))
    by_source: dict[str, list[Input]] = {}
    for entry in reading.inputs:
        by_source.setdefault(entry.source.name, []).append(entry)
    for source, reader in READERS.items():
        entries = by_source.get(source, [])
        for entry in sorted(entries, key=leaf_of) if source in LAID_OVER else entries:
            reader(host, entry)
            if source in ALWAYS_SAYS:
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
    version = host.os_version or ABSENT
    device = reading.build(
        Device,
        1,
        hostname=reading.hostname,
        nos=reading.nos,
        role=Role.OTHER if fleet else Role.HOST,
        os_version=version,
        fleet=fleet or None,
        partial=not any(name in by_source for name in WHOLE_LISTS),
        nics_partial=not any(lists_all(e) for name in LISTS for e in by_source.get(name, ())),
        interfaces=interfaces,
        qos=objects,
        system=_system(reading, objects),
        nics=nics,
        unread=unread,
        emits=build_emissions(host, nics, known),
        environment=known,
        kernel={name: value.value for name, value in kernel.items() if value},
        policies=host.policies,
        node_pools=host.pools,
        limits=LIMITS if any(map(_is_told_a_length, interfaces.values())) else Limits(),
    )
    for name, value in [*variables.items(), *kernel.items()]:
        if value.position > 0:  # of a variable that is set to what is not known as well
            device.at[name] = value.position
    return device


def _is_told_a_length(port: Interface) -> bool:
    pfc = port.qos.pfc if port.qos is not None else None
    return pfc is not None and pfc.cable_m is not None


ALWAYS_SAYS = (
    "ip-link",
    "rdma-link",
    "niccli-devices",
    "niccli-qos",
    "nicctl-port",
    "nicctl-qos",
    "nicctl-dcqcn",
    "mlxconfig",
)
"""Outputs of which something is always read; another text below their command is an error."""

LAID_OVER = ("netplan", "networkd", "keyfile", "interfaces", "ifcfg")
"""Files that their tool lays over one another, in the order of their names."""

LIMITS = Limits(assumed_cable_m=7.0)
"""What mlx5 makes its headroom for where nobody set a length (docs/nos/linux.md)."""

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
