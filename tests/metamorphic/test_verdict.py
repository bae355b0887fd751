"""A smaller folder never strengthens the verdict.

Removing or cutting a file, shutting the uplinks of a switch or moving them into another VRF removes
knowledge or paths: the verdict never becomes READY while a missing device is still named, coverage
never rises, and the expected pairs stay while anything names their device.
"""

from __future__ import annotations

import pytest

from roce_lint.engine.finding import Answer
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from tests.bench import check
from tests.metamorphic.weaker import (
    FABRICS,
    SOME,
    Change,
    device_of,
    fabric,
    is_named,
    put_into_other_vrf,
    require_weaker,
    shut,
    uplinks,
    verdict,
    with_ports,
)
from tests.sampling import sampled


@pytest.mark.parametrize("name", FABRICS)
def test_nothing_is_broken_in_the_fabric(name: str) -> None:
    assert not verdict(name).broken
    assert verdict(name).pairs == {"sample/hosts": 462}.get(name, verdict(name).pairs) > 0


FILES = [(name, file) for name in FABRICS for file in fabric(name)]


@pytest.mark.parametrize("case", sampled(FILES, 30, lambda case: case[0]), ids="-".join)
def test_without_a_file(case: tuple[str, str]) -> None:
    name, file = case
    files = {other: text for other, text in fabric(name).items() if other != file}
    device = device_of(file)
    gone = not any(device_of(other) == device for other in files)
    named = is_named(device, files)
    require_weaker(verdict(name), check(files).verdict, named=named or not gone, lost=gone)


DEVICES = [(name, device) for name in FABRICS for device in sorted({*map(device_of, fabric(name))})]


@pytest.mark.parametrize("case", sampled(DEVICES, 15, lambda case: case[0]), ids="-".join)
def test_without_a_device(case: tuple[str, str]) -> None:
    name, device = case
    files = {other: text for other, text in fabric(name).items() if device_of(other) != device}
    require_weaker(verdict(name), check(files).verdict, named=is_named(device, files), lost=True)


def tiers(name: str) -> dict[str, list[str]]:
    """Switches of a fabric by the first letters of their names: leaves and spines."""
    found: dict[str, list[str]] = {}
    for device in sorted({*map(device_of, fabric(name))}):
        if not device.startswith(("gpu", "links")):
            found.setdefault(device.rstrip("0123456789"), []).append(device)
    return found


@pytest.mark.parametrize("tier", ["leaf", "spine"])
@pytest.mark.parametrize("name", SOME)
def test_without_a_tier(name: str, tier: str) -> None:
    """Without half of its switches, and without all."""
    own = tiers(name)[tier]
    for gone in (own[: (len(own) + 1) // 2], own):
        files = {n: text for n, text in fabric(name).items() if device_of(n) not in gone}
        named = all(is_named(device, files) for device in gone)
        named &= name.endswith("/hosts") or (tier, gone) != (
            "leaf",
            own,
        )  # nothing has an edge port
        require_weaker(verdict(name), check(files).verdict, named=named, lost=True)


@pytest.mark.parametrize("name", [name for name in FABRICS if not name.startswith("sample")])
def test_without_lines_of_the_plan(name: str) -> None:
    files = fabric(name)
    lines = files["links.yaml"].splitlines(keepends=True)
    for gone in lines:
        rest = {**files, "links.yaml": "".join(line for line in lines if line is not gone)}
        require_weaker(verdict(name), check(rest).verdict, named=True, lost=False)


@pytest.mark.parametrize("change", [shut, put_into_other_vrf])
@pytest.mark.parametrize("name", SOME)
def test_a_leaf_without_its_uplinks(name: str, change: Change) -> None:
    for leaf, ports in uplinks(name).items():
        report = with_ports(
            fabric(name), change, lambda d, p, leaf=leaf, ports=ports: d == leaf and p.name in ports
        )
        require_weaker(verdict(name), report.verdict, named=True, lost=True)


@pytest.mark.parametrize("name", [name for name in FABRICS if not name.startswith("sample")])
def test_a_fault_on_a_link_that_is_less_certain(name: str) -> None:
    """An MTU of 1500 bytes on every uplink of a leaf, with a plan, with addresses, with neither."""
    files = fabric(name)
    bare = {file: text for file, text in files.items() if file != "links.yaml"}
    ports = uplinks(name)["leaf1"]

    def make_small(_device: Device, port: Interface) -> None:
        port.ip_mtu = 1500

    for each in (files, bare):
        report = with_ports(each, make_small, lambda d, p: d == "leaf1" and p.name in ports)
        assert report.verdict.answer is not Answer.READY
