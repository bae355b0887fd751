from __future__ import annotations

from roce_lint.model.device import Role
from roce_lint.model.fabric import Fabric
from roce_lint.topology.roles import assign_roles
from tests.unit.topology.making import device, joined, port


def chain(*names: str, host: bool = True) -> Fabric:
    """Devices one behind the other; the first is a host."""
    devices = []
    for number, name in enumerate(names):
        heard = [(names[number - 1], "up")] if number else []
        role = Role.HOST if host and not number else None
        devices.append(device(name, port("up"), port("down", heard=heard), role=role))
    return joined(*devices)


def roles(fabric: Fabric) -> dict[str, Role | None]:
    return {name: found.role for name, found in fabric.devices.items()}


def test_the_distance_to_hosts_gives_the_tier() -> None:
    fabric = chain("a", "b", "c", "d", "e")
    assign_roles(fabric, {})
    assert roles(fabric) == {
        "a": Role.HOST, "b": Role.LEAF, "c": Role.SPINE, "d": Role.SUPERSPINE, "e": None,
    }  # fmt: skip


def test_the_shortest_way_counts() -> None:
    fabric = joined(
        device("h1", port("p", heard=[("s1", "p1")]), role=Role.HOST),
        device("h2", port("p", heard=[("s2", "p1")]), role=Role.HOST),
        device("s1", port("p1"), port("p2", heard=[("s2", "p2")])),
        device("s2", port("p1"), port("p2"), port("p3", heard=[("s3", "p3")])),
        device("s3", port("p3")),
    )
    assign_roles(fabric, {})
    assert roles(fabric) == {
        "h1": Role.HOST, "h2": Role.HOST, "s1": Role.LEAF, "s2": Role.LEAF, "s3": Role.SPINE,
    }  # fmt: skip


def test_without_hosts_or_links_nothing_is_known() -> None:
    fabric = chain("a", "b", "c", host=False)
    assign_roles(fabric, {})
    assert set(roles(fabric).values()) == {None}
    lonely = joined(device("h", role=Role.HOST), device("s"))
    assign_roles(lonely, {})
    assert roles(lonely) == {"h": Role.HOST, "s": None}


def test_the_settings_go_before_the_distance_and_behind_the_device_itself() -> None:
    fabric = chain("h", "border1", "x-leaf", "storage7")
    fabric.devices["x-leaf"].role = Role.SPINE
    assign_roles(
        fabric,
        {"border*": Role.BORDER, "*leaf": Role.LEAF, "storage?": Role.STORAGE, "*": Role.OTHER},
    )
    assert roles(fabric) == {
        "h": Role.HOST, "border1": Role.BORDER, "x-leaf": Role.SPINE, "storage7": Role.STORAGE,
    }  # fmt: skip


def test_the_first_pattern_that_matches_counts() -> None:
    fabric = joined(device("leaf-border"))
    assign_roles(fabric, {"*border": Role.BORDER, "leaf*": Role.LEAF})
    assert roles(fabric) == {"leaf-border": Role.BORDER}
