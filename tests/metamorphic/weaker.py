"""Reduced fabrics, and the requirements on their verdict: shared by the tests of verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cache

from roce_lint.engine.finding import Answer, Verdict
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.pipeline import Report
from tests.bench import Files, check, load, report_on
from tests.fabrics.mixed import KINDS
from tests.metamorphic.snapshot import sample
from tests.sampling import sampled
from tests.small_fabrics.made import made


def _without_hosts(files: Files) -> Files:
    return {name: text for name, text in files.items() if not name.startswith("hosts/")}


@cache
def fabric(name: str) -> Files:
    """A sound fabric by name: the sample, or three leaves and a spine of one system."""
    kind, _, hosts = name.partition("/")
    if kind == "sample":
        files = sample("clean-fabric")
        return files if hosts == "hosts" else _without_hosts(files)
    return made(kind, hosts=hosts == "hosts").texts


FABRICS = [f"{kind}/{hosts}" for kind in ("sample", *KINDS) for hosts in ("hosts", "switches")]
SOME = sampled(FABRICS, 7, lambda name: name.partition("/")[0])


@cache
def verdict(name: str) -> Verdict:
    return check(fabric(name)).verdict


def device_of(file: str) -> str:
    """Device of a file: the folder of a host, the stem of a switch."""
    parts = file.split("/")
    return parts[1] if parts[0] == "hosts" else re.split(r"[.-]", parts[-1])[0]


def is_named(device: str, files: Files) -> bool:
    """Whether a file of another device names a device."""
    word = re.compile(rf"\b{re.escape(device)}\b")
    return any(word.search(text) for name, text in files.items() if device_of(name) != device)


def require_weaker(before: Verdict, after: Verdict, *, named: bool, lost: bool) -> None:
    """Compare the verdict on a fabric with that on a reduced one.

    `named`: the rest names the removed part; `lost`: the removed part is a whole device or its
    paths.
    """
    assert after.coverage <= before.coverage
    if named:
        assert after.pairs >= before.pairs
        assert not lost or after.answer is not Answer.READY
    if after.answer is Answer.READY and named:
        assert (after.pairs, after.judged) == (before.pairs, before.judged)


Change = Callable[[Device, Interface], None]


def shut(_device: Device, port: Interface) -> None:
    port.enabled = False


def put_into_other_vrf(_device: Device, port: Interface) -> None:
    port.vrf, port.routed = "OTHER", True


def forget_addresses(_device: Device, port: Interface) -> None:
    port.addresses = ()


def with_ports(files: Files, change: Change, wanted: Callable[[str, Interface], bool]) -> Report:
    """The report on a fabric with some ports of its switches changed."""
    loaded = load(files)
    devices = []
    for device in loaded.devices:
        own = device
        if any(wanted(device.hostname, port) for port in device.interfaces.values()):
            own = deepcopy(device)
            for port in own.interfaces.values():
                if wanted(device.hostname, port):
                    change(own, port)
        devices.append(own)
    return report_on(replace(loaded, devices=devices))


@cache
def uplinks(name: str) -> dict[str, set[str]]:
    """Ports to spines, by leaf."""
    fabric_of = check(fabric(name)).fabric
    assert fabric_of is not None
    found: dict[str, set[str]] = {}
    for link in fabric_of.links:
        for end in link.ends:
            if end.device.hostname.startswith("leaf") and not link.other(end).device.is_host:
                found.setdefault(end.device.hostname, set()).add(end.interface.name)
    return found
