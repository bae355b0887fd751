from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.loading.group import hostname_in
from roce_lint.loading.identify import identify
from roce_lint.nos.registry import all_nos
from tests.nos.sonic.making import chain, flattened
from tests.nos.sonic.test_lldp import NEIGHBORS, TABLE

CONFIG_DB = all_nos()["sonic"].by_source["config-db"]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (json.dumps(chain()), "config-db"),
        (json.dumps(chain(), indent=4), "config-db"),
        (json.dumps(flattened(chain()), indent=2), "config-db"),
        (json.dumps({"PORT": {"Ethernet0": {"alias": "etp1"}}}), "config-db"),
        (json.dumps({"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}}), "config-db"),
        (
            "admin@sw1:~$ show runningconfiguration all\n" + json.dumps(chain(), indent=4),
            "config-db",
        ),
        (TABLE, "lldp-table"),
        (NEIGHBORS, "lldp-neighbors"),
        ("# PG lossless profiles.\n# speed cable size xon xoff threshold\n", "pg-profile-lookup"),
    ],
)
def test_by_content(text: str, source: str) -> None:
    found = identify("some.txt", text)
    assert (found.nos, found.source) == ("sonic", source)


@pytest.mark.parametrize(
    ("command", "source", "args"),
    [
        ("show runningconfiguration all", "config-db", {}),
        ("sudo sonic-cfggen -d --print-data", "config-db", {}),
        ("cat /etc/sonic/config_db.json", "config-db", {"asic": ""}),
        ("cat /etc/sonic/config_db1.json", "config-db", {"asic": "1"}),
    ],
)
def test_by_command(command: str, source: str, args: dict[str, str]) -> None:
    found = identify("x", f"# command: {command}  host: sw1  time: 2026-10-07T06:13:11Z\n{{}}\n")
    assert (found.nos, found.source, found.args, found.host) == ("sonic", source, args, "sw1")


@pytest.mark.parametrize(
    "config",
    [
        chain(),
        flattened(chain()),
        {"bgpraw": "hostname other", **chain()},
        {"localhost": chain(), "asic0": {}},
        {"TACPLUS": {"global": {"hostname": "other"}}, **chain()},
    ],
)
def test_the_hostname_in_every_notation(config: dict[str, object]) -> None:
    assert hostname_in(CONFIG_DB, json.dumps(config, indent=4)) == "sw1"
    assert hostname_in(CONFIG_DB, json.dumps(config)) == "sw1"


def test_parts_have_no_hostname() -> None:
    assert hostname_in(CONFIG_DB, json.dumps({"QUEUE": {}, "X": {"hostname": "y"}})) is None


def test_real_files(corpus: Path) -> None:
    folder = corpus / "sonic"
    found = {
        path.name: (identity.nos, identity.source)
        for path in sorted(folder.iterdir())
        for identity in [identify(path.name, path.read_text(encoding="utf-8"))]
    }
    sources = {
        name: "pg-profile-lookup" if name.endswith(".ini") else "config-db" for name in found
    }
    assert found == {name: ("sonic", source) for name, source in sources.items()}


def test_files_of_other_systems_are_not_taken(corpus: Path) -> None:
    signatures = [
        sign
        for source in all_nos()["sonic"].sources
        if not source.name.startswith("lldpcli")  # hosts have the same outputs
        for sign in source.signatures
    ]
    scores = {
        f"{path.parent.name}/{path.name}": points
        for folder in ("eos", "nxos", "cumulus", "junos", "host", "os10", "iosxr", "srlinux")
        for path in sorted((corpus / folder).rglob("*"))
        if path.is_file()
        for text in [path.read_bytes().decode("utf-8", "replace")]
        if (points := sum(s.weight for s in signatures if s.regex.search(text))) > 0
    }
    assert scores == {}
