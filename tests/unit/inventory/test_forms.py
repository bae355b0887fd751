"""The same devices in all forms give the same list; hostile input is contained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.errors import UsageError
from roce_lint.inventory.entry import BadRange, Inventory, expand_ranges
from roce_lint.inventory.read import read_inventory

NAMES = [f"leaf{number:02}" for number in range(1, 65)]
HOSTS = {name: f"10.0.0.{number}" for number, name in enumerate(NAMES, 1)}


def ours() -> str:
    return "devices:\n" + "".join(
        f"  - {{name: {name}, host: {HOSTS[name]}, port: 2022, user: audit, nos: eos}}\n"
        for name in NAMES
    )


def table() -> str:
    return "name,host,port,user,nos\n" + "".join(
        f"{name},{HOSTS[name]},2022,audit,eos\n" for name in NAMES
    )


def ini() -> str:
    hosts = "".join(f"{name} ansible_host={HOSTS[name]}\n" for name in NAMES)
    return (
        f"[leaves]\n{hosts}\n[fabric:children]\nleaves\n\n[fabric:vars]\nansible_port=2022\n"
        "ansible_user=nobody\n\n[leaves:vars]\nansible_user = audit\n"
        "ansible_network_os=arista.eos.eos\n"
    )


def ansible() -> str:
    hosts = "".join(f"        {name}: {{ansible_host: {HOSTS[name]}}}\n" for name in NAMES)
    return (
        "all:\n  vars: {ansible_port: 2022, ansible_user: nobody}\n  children:\n    leaves:\n"
        f"      vars: {{ansible_user: audit, nos: eos}}\n      hosts:\n{hosts}"
    )


def nornir() -> str:
    return "---\n" + "".join(
        f"{name}:\n  hostname: {HOSTS[name]}\n  port: 2022\n  username: audit\n  platform: eos\n"
        f"  groups: [leaves]\n"
        for name in NAMES
    )


def containerlab() -> str:
    nodes = "".join(f"    {name}: {{mgmt-ipv4: {HOSTS[name]}}}\n" for name in NAMES)
    return (
        "name: fabric\ntopology:\n  defaults:\n    kind: arista_ceos\n"
        f"    labels: {{port: 2022, user: audit}}\n  nodes:\n{nodes}"
    )


def netbox() -> str:
    rows = [
        {
            "name": name,
            "platform": {"slug": "arista-eos"},
            "primary_ip": {"address": f"{HOSTS[name]}/24"},
            "custom_fields": {"port": 2022, "user": "audit"},
        }
        for name in NAMES
    ]
    return json.dumps({"count": 64, "results": rows}, indent=1)


def netbox_table() -> str:
    return "Name,Status,Platform,IP Address,Port,User\n" + "".join(
        f"{name},Active,Arista EOS,{HOSTS[name]}/24,2022,audit\n".replace(
            "Arista EOS", "arista-eos"
        )
        for name in NAMES
    )


def ssh_config() -> str:
    return "Host *\n  ServerAliveInterval 5\n" + "".join(
        f"Host {name}\n  HostName {HOSTS[name]}\n  Port 2022\n  User audit\n" for name in NAMES
    )


FORMS = {
    "devices.yaml": ours,
    "devices.csv": table,
    "hosts.ini": ini,
    "ansible.yml": ansible,
    "hosts.yaml": nornir,
    "fabric.clab.yml": containerlab,
    "export.json": netbox,
    "export.csv": netbox_table,
    "config": ssh_config,
}


def read(folder: Path, name: str, text: str) -> Inventory:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_inventory(path)


@pytest.mark.parametrize("name", FORMS)
def test_the_same_devices_in_every_form(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, name, FORMS[name]())
    assert found.remarks == []
    # ssh_config has no word for the system.
    nos = None if name == "config" else "eos"
    assert [(e.name, e.host, e.port, e.user, e.nos, e.fault) for e in found.entries] == [
        (name, HOSTS[name], 2022, "audit", nos, None) for name in NAMES
    ]


@pytest.mark.parametrize("text", ["leaf[01-64]\n", "# all\nleaf[01:32]  leaf[33-64] # two\n"])
def test_a_list_with_ranges(tmp_path: Path, text: str) -> None:
    assert [entry.name for entry in read(tmp_path, "list.txt", text).entries] == NAMES


def test_a_section_may_hold_ranges(tmp_path: Path) -> None:
    found = read(tmp_path, "hosts", "[leaves]\nleaf[01:64:1] nos=eos\n")
    assert [(entry.name, entry.nos) for entry in found.entries] == [(name, "eos") for name in NAMES]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ["a"]),
        ("r[a-c]n[1,3]", ["ran1", "ran3", "rbn1", "rbn3", "rcn1", "rcn3"]),
        ("x[8-11]", ["x8", "x9", "x10", "x11"]),
        ("x[1:5:2]", ["x1", "x3", "x5"]),
    ],
)
def test_ranges(text: str, names: list[str]) -> None:
    assert expand_ranges(text) == names


@pytest.mark.parametrize("text", ["x[9-1]", "x[a-3]", "x[1-999999999]", "x[1-999][1-999]"])
def test_no_range(text: str) -> None:
    with pytest.raises(BadRange):
        expand_ranges(text)


HOSTILE = [
    "../../x",
    "-oProxyCommand=x",
    "a\nb",
    "a b",
    "x" * 300,
    "",
    "leaf1;reboot",
    "a..b",
    "\x1b[2J",
]


@pytest.mark.parametrize("host", HOSTILE)
def test_a_hostile_host_is_a_failed_entry_and_the_others_stay(tmp_path: Path, host: str) -> None:
    rows = [{"name": "leaf1", "host": host or " "}, {"name": "leaf2", "host": "10.0.0.2"}]
    found = read(tmp_path, "devices.yaml", "devices: " + json.dumps(rows))
    assert found.entries[0].fault is not None
    assert found.entries[0].fault.startswith("not a host name")
    assert "\n" not in found.entries[0].fault
    assert "\x1b" not in found.entries[0].fault
    assert found.entries[1].fault is None


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_makes_no_folder(tmp_path: Path, name: str) -> None:
    text = "devices: " + json.dumps([{"name": name, "host": "10.0.0.1"}])
    assert read(tmp_path, "devices.yaml", text).entries[0].fault is not None


def test_two_devices_of_one_name(tmp_path: Path) -> None:
    found = read(tmp_path, "x.csv", "name,host\nleaf1,10.0.0.1\nLeaf1,10.0.0.2\nleaf2,10.0.0.3\n")
    assert [entry.fault for entry in found.entries] == [None, "two devices have this name", None]
    assert [entry.line for entry in found.entries] == [2, 3, 4]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("leaf1,h,99999,u,eos", "not a port: '99999'"),
        ("leaf1,h,22,u v,eos", "not a user name: 'u v'"),
        ("leaf1,h,22,u,enos", "unknown system 'enos'"),
    ],
)
def test_what_is_wrong_with_a_device_is_said(tmp_path: Path, row: str, fault: str) -> None:
    found = read(tmp_path, "x.csv", f"name,host,port,user,nos\n{row}\n")
    assert [entry.fault for entry in found.entries] == [fault]


def test_what_is_not_understood_is_said_with_its_line(tmp_path: Path) -> None:
    found = read(tmp_path, "hosts.ini", "[leaves]\nleaf1 words\n[bro ken]\nleaf2\n")
    assert [(one.line, one.text) for one in found.remarks] == [
        (2, "not a variable: 'words'"),
        (3, "not a section: '[bro ken]'"),
    ]


@pytest.mark.parametrize(
    ("name", "text"), [("x.yaml", "a: 1\n"), ("x.json", "{"), ("x.yaml", "a: [")]
)
def test_no_inventory(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(UsageError):
        read(tmp_path, name, text)
