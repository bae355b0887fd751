from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from roce_lint.loading.file_part import FilePart
from roce_lint.loading.group import Group, group, stem
from tests.unit.loading.making import eos, part

PORTS = {"PORT": {"Ethernet0": {"mtu": "9100"}}}


def devices(groups: list[Group]) -> dict[str, list[str]]:
    return {entry.device: [p.name for p in entry.parts] for entry in groups}


def grouped(*parts: FilePart, base: str = "") -> dict[str, list[str]]:
    groups, diagnostics = group(list(parts), base)
    assert diagnostics == []
    return devices(groups)


def output(name: str, **given: object) -> FilePart:
    return part(name, name, "linux", "ethtool-pause", **given)  # type: ignore[arg-type]


def db(name: str, content: object, **given: object) -> FilePart:
    return part(name, json.dumps(content), "sonic", "config-db", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("leaf", "name"),
    [
        ("leaf1.cfg", "leaf1"),
        ("leaf1", "leaf1"),
        ("leaf1.dc1.cfg", "leaf1.dc1"),
        ("leaf-1.cfg", "leaf-1"),
        ("leaf1-running-config.txt", "leaf1"),
        ("leaf1_show_running.txt", "leaf1"),
        ("leaf1 buffers.json", "leaf1"),
        ("leaf1.config_db0.json", "leaf1"),
        ("running-config.txt", ""),
        ("config_db.json", ""),
        (".cfg", ".cfg"),
        ("-.txt", "-"),
        ("portal.cfg", "portal"),
    ],
)
def test_the_name_a_file_gives(leaf: str, name: str) -> None:
    assert stem(leaf) == name


def test_who_names_a_device_in_this_order() -> None:
    assert grouped(part("d/a.cfg", host="h", hostname="c", given="s")) == {"h": ["d/a.cfg"]}
    assert grouped(part("d/a.cfg", hostname="c", given="s")) == {"c": ["d/a.cfg"]}
    assert grouped(part("d/a.cfg", given="s")) == {"s": ["d/a.cfg"]}
    assert grouped(part("d/a.cfg")) == {"a": ["d/a.cfg"]}
    assert grouped(part("d/running-config.txt")) == {"d": ["d/running-config.txt"]}
    assert grouped(part("running-config.txt"), base="lab") == {"lab": ["running-config.txt"]}
    assert grouped(part("running-config.txt")) == {"running-config.txt": ["running-config.txt"]}


def test_the_only_named_device_of_a_folder_names_the_others() -> None:
    lldp = part("d/lldp.txt", "x", source="lldp")
    assert grouped(part("d/a.cfg", hostname="leaf1"), lldp) == {"leaf1": ["d/a.cfg", "d/lldp.txt"]}


def test_a_configuration_with_a_name_of_its_own_is_no_second_one_of_its_neighbour() -> None:
    named = part("d/leaf1.cfg", "1", hostname="leaf1")
    assert grouped(named, part("d/leaf2.cfg", "2")) == {
        "leaf1": ["d/leaf1.cfg"],
        "leaf2": ["d/leaf2.cfg"],
    }
    lldp = part("d/lldp.txt", "x", source="lldp", hostname="leaf1")
    assert grouped(lldp, part("d/running-config.txt")) == {
        "leaf1": ["d/lldp.txt", "d/running-config.txt"]
    }
    ports = db("d/all.json", PORTS, hostname="s1")
    assert grouped(ports, db("d/lengths.json", {"CABLE_LENGTH": {}})) == {
        "s1": ["d/all.json", "d/lengths.json"]
    }


def test_two_named_devices_of_a_folder_name_nobody_else() -> None:
    found = grouped(
        part("d/a.cfg", "a", hostname="leaf1"),
        part("d/b.cfg", "b", hostname="leaf2"),
        output("d/ethtool-a-ens1.txt"),
    )
    assert found == {
        "d": ["d/ethtool-a-ens1.txt"], "leaf1": ["d/a.cfg"], "leaf2": ["d/b.cfg"],
    }  # fmt: skip


def test_command_outputs_belong_to_their_folder_configurations_to_their_file() -> None:
    assert grouped(output("s/gpu-1/a.txt"), output("s/gpu-1/b.txt"), output("s/gpu-2/a.txt")) == {
        "gpu-1": ["s/gpu-1/a.txt", "s/gpu-1/b.txt"],
        "gpu-2": ["s/gpu-2/a.txt"],
    }
    assert grouped(part("s/leaf1.cfg", "a"), part("s/leaf2.cfg", "b")) == {
        "leaf1": ["s/leaf1.cfg"],
        "leaf2": ["s/leaf2.cfg"],
    }


def test_a_path_that_is_one_hosts_folder_names_the_host() -> None:
    assert grouped(output("a.txt"), output("b.txt"), base="gpu-1") == {"gpu-1": ["a.txt", "b.txt"]}


def test_archives_are_folders_without_their_ending() -> None:
    inside = output("snap.tgz!gpu-1/a.txt")
    inside.folder = "snap.tgz!gpu-1"
    outer = output("gpu-2.tar.gz!a.txt")
    outer.folder = "gpu-2.tar.gz"
    assert grouped(inside, outer) == {
        "gpu-1": ["snap.tgz!gpu-1/a.txt"],
        "gpu-2": ["gpu-2.tar.gz!a.txt"],
    }


def test_capitals_make_no_other_device_and_the_configuration_spells_the_name() -> None:
    found = grouped(output("x/a.txt", host="GPU-1"), output("y/b.txt", host="gpu-1"))
    assert found == {"GPU-1": ["x/a.txt", "y/b.txt"]}
    lldp = part("d/lldp.txt", "x", source="lldp", host="LEAF1")
    assert grouped(lldp, part("e/a.cfg", hostname="Leaf1")) == {"Leaf1": ["d/lldp.txt", "e/a.cfg"]}


def test_the_same_file_twice_is_one() -> None:
    found = grouped(part("a.cfg", "x", hostname="leaf1"), part("b.cfg", "x", hostname="leaf1"))
    assert found == {"leaf1": ["a.cfg"]}


def test_the_same_output_of_two_ports_is_two() -> None:
    first, second = (
        part(f"{port}.txt", "same", "linux", "ethtool-pause", host="h", args={"port": port})
        for port in ("ens1", "ens2")
    )
    assert grouped(first, second) == {"h": ["ens1.txt", "ens2.txt"]}


def when(minute: int) -> datetime:
    return datetime(2026, 3, 7, 10, minute, tzinfo=UTC)


def test_of_two_configurations_the_newest_is_judged() -> None:
    parts = [
        part(f"{minute}.cfg", eos(mtu=minute), hostname="leaf1", written=when(minute))
        for minute in (3, 9, 5)
    ]
    lldp = part("lldp.txt", "x", source="lldp", hostname="leaf1")
    groups, (told,) = group([*parts, lldp])
    assert devices(groups) == {"leaf1": ["9.cfg", "lldp.txt"]}
    assert (told.file, told.kind, told.incomplete) == ("9.cfg", "two-configs", False)
    assert told.message == (
        "two configurations of leaf1: 3.cfg, 9.cfg and 5.cfg; judging 9.cfg, the newer by its header"
    )


@pytest.mark.parametrize("dates", [(None, None), (when(1), None), (when(1), when(1))])
def test_of_two_configurations_none_is_judged_where_none_is_newer(
    dates: tuple[datetime | None, datetime | None],
) -> None:
    parts = [
        part(f"{number}.cfg", eos(mtu=number), hostname="leaf1", written=date)
        for number, date in enumerate(dates)
    ]
    groups, (told,) = group([*parts, part("c.cfg", "x", hostname="leaf2")])
    assert devices(groups) == {"leaf2": ["c.cfg"]}
    assert (told.file, told.kind, told.incomplete) == ("0.cfg", "two-configs", True)
    assert told.message == (
        "two configurations of leaf1: 0.cfg and 1.cfg; neither says when it was written, "
        "so none is judged"
    )


def test_many_files_are_not_all_listed() -> None:
    groups, (told,) = group([part(f"{n}.cfg", str(n), hostname="leaf1") for n in range(9)])
    assert groups == []
    assert told.message.startswith(
        "two configurations of leaf1: 0.cfg, 1.cfg, 2.cfg, 3.cfg and 5 more; neither"
    )


def test_two_platforms_under_one_name_are_not_judged() -> None:
    parts = [part("a.cfg", "a", hostname="x1"), part("b.cfg", "b", "nxos", hostname="x1")]
    groups, (told,) = group(parts)
    assert groups == []
    assert (told.file, told.kind, told.incomplete) == ("a.cfg", "two-devices", True)
    assert told.message == (
        "a.cfg and b.cfg are taken for one device, x1, but are eos and nxos; none is judged"
    )


@pytest.mark.parametrize("host", [None, "leaf1"])
def test_an_output_of_another_kind_gives_way_to_the_configuration(host: str | None) -> None:
    parts = [part("d/a.cfg", hostname="leaf1"), output("d/ip.txt", host=host)]
    groups, (told,) = group(parts)
    assert devices(groups) == {"leaf1": ["d/a.cfg"]}
    assert (told.file, told.incomplete) == ("d/ip.txt", False)
    assert told.message == ("skipped: leaf1 is eos, but this file looks like linux ethtool-pause")


def test_a_script_of_a_host_is_none_of_the_one_switch_beside_it() -> None:
    leaf = part("d/leaf2.cfg", hostname="leaf2")
    script = part("d/gpu1.sh", "x", "linux", "script")
    assert grouped(leaf, script) == {"leaf2": ["d/leaf2.cfg"], "d": ["d/gpu1.sh"]}
    inside = [
        part("leaf2/run.cfg", hostname="leaf2"),
        part("leaf2/gpu1.sh", "x", "linux", "script"),
    ]
    assert grouped(*inside) == {"leaf2": ["leaf2/run.cfg"], "gpu1": ["leaf2/gpu1.sh"]}
    host = output("d/ip.txt", host="gpu9")
    assert grouped(host, script) == {"gpu9": ["d/ip.txt", "d/gpu1.sh"]}


def test_a_script_in_the_tree_of_files_of_a_switch_gives_way() -> None:
    files = [
        part("leaf2/run.cfg", hostname="leaf2"),
        part("leaf2/etc/x.sh", "x", "linux", "script"),
    ]
    groups, (told,) = group(files)
    assert devices(groups) == {"leaf2": ["leaf2/run.cfg"]}
    assert (told.file, told.incomplete) == ("leaf2/etc/x.sh", False)


def test_an_output_in_a_folder_gives_way_to_those_with_a_header() -> None:
    lldp = part("gpu-1/l.txt", "x", source="lldp")
    groups, (told,) = group([lldp, output("gpu-1/a.txt", host="gpu-1")])
    assert devices(groups) == {"gpu-1": ["gpu-1/a.txt"]}
    assert (told.file, told.incomplete) == ("gpu-1/l.txt", False)


@pytest.mark.parametrize(
    "other",
    [
        {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}},
        {"PORT": {"Ethernet4": {"mtu": "9100"}}},
        {"PORT": {"Ethernet0": {"mtu": "9100", "speed": "400000"}}},
    ],
)
def test_files_that_complete_each_other_are_merged(other: object) -> None:
    parts = [db("a.json", PORTS, hostname="s1"), db("b.json", other, hostname="s1")]
    assert grouped(*parts) == {"s1": ["a.json", "b.json"]}


@pytest.mark.parametrize("other", [{"PORT": {"Ethernet0": {"mtu": "1500"}}}, {"PORT": "x"}, []])
def test_files_that_contradict_each_other_are_not(other: object) -> None:
    groups, (told,) = group(
        [db("a.json", PORTS, hostname="s1"), db("b.json", other, hostname="s1")]
    )
    assert (groups, told.kind) == ([], "two-configs")


def test_the_files_of_several_chips_are_one_device() -> None:
    parts = [
        db(
            f"config_db{n}.json",
            {"PORT": {"Ethernet0": {"mtu": str(n)}}},
            hostname="s1",
            args={"asic": n},
        )
        for n in ("0", "1")
    ]
    assert grouped(*parts) == {"s1": ["config_db0.json", "config_db1.json"]}


def test_a_broken_file_is_left_to_the_reader() -> None:
    broken = part("b.json", '{"PORT": ', "sonic", "config-db", hostname="s1")
    assert grouped(db("a.json", PORTS, hostname="s1"), broken) == {"s1": ["a.json", "b.json"]}


def test_devices_come_in_one_order_whatever_that_of_the_files() -> None:
    parts = [part(f"{n}.cfg", n, hostname=n) for n in ("b", "C", "a")]
    assert list(grouped(*parts)) == ["a", "b", "C"]
    assert list(grouped(*parts[::-1])) == ["a", "b", "C"]


def test_the_settings_give_a_device_its_role() -> None:
    parts = [
        part("a.cfg", hostname="leaf1"),
        part("l.txt", source="lldp", hostname="leaf1", role="leaf"),
    ]
    (entry,), _ = group(parts)
    assert entry.role == "leaf"
