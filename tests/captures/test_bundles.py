"""Support bundles: an archive or text with everything belongs to its device."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest

from tests.captures.bases import BASES
from tests.captures.test_matrix import findings_of, judged, put


def packed(path: Path, top: str, files: dict[str, str | bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def rows(tables: dict[str, dict[str, dict[str, object]]], mark: str) -> str:
    """Tables as they are in a dump of a database."""
    found = {
        f"{table}{mark}{key}": {
            "expireat": 1.5, "ttl": -0.001, "type": "hash",
            "value": {
                f"{name}@" if isinstance(value, list) else name: ",".join(value)
                if isinstance(value, list) else value for name, value in row.items()
            },
        }
        for table, keys in tables.items() for key, row in keys.items()
    }  # fmt: skip
    return json.dumps(found, indent=1)


def alone(folder: Path, base: str) -> list[object]:
    (folder / "alone").mkdir()
    return findings_of(judged(put(folder / "alone", BASES[base].text)))


def test_a_dump_of_sonic_is_one_switch(tmp_path: Path) -> None:
    text = BASES["sonic"].text
    port = {"PORT_TABLE": {"Ethernet0": {"mtu": "9100", "state": "ok"}}}
    path = packed(
        tmp_path / "sonic_dump_leaf1_20261120_081143.tar.gz",
        "sonic_dump_leaf1_20261120_081143",
        {
            "etc/sonic/config_db.json": text,
            "dump/CONFIG_DB.json": rows(json.loads(text), "|"),
            "dump/APPL_DB.json": rows(port, ":"),
            "dump/STATE_DB.json": rows(port, "|"),
            "dump/version": "SONiC Software Version: SONiC.202405\n",
            "log/syslog.1.gz": gzip.compress(b"Nov 20 08:11:43 leaf1 INFO x\n" * 50),
            "core/a.core.gz": gzip.compress(b"\0\1\2" * 500),
        },
    )
    report = judged(path)
    assert [(device.name, device.nos) for device in report.devices] == [("leaf1", "sonic")]
    assert [entry for entry in report.diagnostics if entry.incomplete] == []
    assert findings_of(report) == alone(tmp_path, "sonic")


def test_a_support_file_of_cumulus_is_one_switch(tmp_path: Path) -> None:
    text = BASES["cumulus yaml"].text
    name = judged(put(tmp_path, text)).devices[0].name
    path = packed(
        tmp_path / f"cl_support_{name}_20261120_081143.tar.gz",
        f"cl_support_{name}_20261120_081143",
        {
            "etc/nvue.d/startup.yaml": text,
            "Support/nv.config": text,
            "Support/ip.addr": "1: lo: <LOOPBACK,UP> mtu 65536 qdisc noqueue state UNKNOWN\n",
            "etc/hostname": f"{name}\n",
            "etc/os-release": 'PRETTY_NAME="Cumulus Linux"\n',
            "etc/network/interfaces": "auto lo\niface lo inet loopback\n",
            "var/log/syslog": f"2026-11-20T08:11:43 {name} a\n",
        },
    )
    report = judged(path)
    assert [(device.name, device.nos) for device in report.devices] == [(name, "cumulus")]
    assert [entry for entry in report.diagnostics if entry.incomplete] == []


TECHS = {
    "junos braces": (
        "netops@leaf4> request support information | no-more\n\n"
        "netops@leaf4> show version detail no-forwarding\nHostname: leaf4\nJunos: 23.4\n\n"
        "netops@leaf4> show configuration | display omit | except SECRET-DATA\n{}\n"
        "netops@leaf4> show chassis hardware\nHardware inventory:\n\n{{master:0}}\nnetops@leaf4> \n"
    ),
    "eos": (
        "------------- show clock -------------\n\nFri Nov 20 08:11\n\n"
        "------------- show running-config sanitized -------------\n\n{}\n"
        "------------- show interfaces -------------\n\nEthernet1 is up\n  mtu 9214\n"
    ),
    "nxos": (
        "`show switchname`\nleaf1\n`show running-config`\n{0}\n`show startup-config`\n{0}\n"
        "`show interface`\nEthernet1/1 is up\n`show logging`\n2026 Nov 20 leaf1 %ETH\n"
    ),
    "os10": (
        "---------------- show version -----------------\nDell\n"
        "---------------- show running-configuration -----------------\n{}\n"
        "---------------- show interface -----------------\nEthernet 1/1/1 is up\n"
    ),
}


@pytest.mark.parametrize("base", TECHS)
def test_a_text_for_support_says_what_the_configuration_says(base: str, tmp_path: Path) -> None:
    lines = [line for line in BASES[base].text.split("\n") if not line.startswith("leaf1# ")]
    report = judged(put(tmp_path, TECHS[base].format("\n".join(lines))))
    assert len(report.devices) == 1
    assert [entry for entry in report.diagnostics if entry.incomplete] == []
    assert findings_of(report) == alone(tmp_path, base)


def test_an_archive_in_an_archive_is_not_opened_and_told(tmp_path: Path) -> None:
    inner = packed(tmp_path / "inner.tar.gz", "x", {"leaf1.cfg": BASES["eos"].text})
    path = packed(tmp_path / "outer.tar.gz", "y", {"inner.tar.gz": inner.read_bytes()})
    report = judged(path)
    assert report.devices == []
    assert "inner.tar.gz" in str([*report.diagnostics, *report.skipped])


def nested(text: str, depth: int) -> str:
    for _ in range(depth):
        text = json.dumps({"stdout": text})
    return text


def test_documents_in_documents_are_opened_to_a_depth_and_told(tmp_path: Path) -> None:
    text = "\n".join(BASES["eos"].text.split("\n")[:60])
    assert [device.name for device in judged(put(tmp_path, nested(text, 8))).devices] == ["leaf1"]
    report = judged(put(tmp_path, nested(text, 14)))
    assert report.devices == []
    assert [entry.incomplete for entry in report.diagnostics] == [True]
