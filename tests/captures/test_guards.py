"""Unreadable input is always reported, and the answer is then incomplete."""

from __future__ import annotations

import gzip
import json
import lzma
import re
from pathlib import Path

import pytest

from roce_lint.engine.finding import Diagnostic
from tests.captures.bases import BASES
from tests.captures.test_matrix import judged, model, put

EOS = BASES["eos"].text
HEADING = "! Command: show running-config\n! device: leaf1 (DCS-7060X, EOS-4.31.1F)\n!\n"


def remarks(path: Path) -> dict[str, Diagnostic]:
    return {entry.kind: entry for entry in judged(path).diagnostics}


def test_a_text_without_the_end_that_its_device_prints_is_cut_off(tmp_path: Path) -> None:
    whole = HEADING + EOS.removeprefix(HEADING)
    lines = whole.rstrip("\n").split("\n")
    inside = next(n for n in range(len(lines) * 2 // 3, 0, -1) if lines[n - 1].startswith(" "))
    cut = "\n".join(lines[:inside]) + "\n"
    assert remarks(put(tmp_path, cut))["cut-off"].incomplete
    ended = cut if cut.endswith("\nend\n") else f"{cut}end\n"
    assert "cut-off" not in remarks(put(tmp_path, ended))
    assert remarks(put(tmp_path, f"{cut}!\n"))["cut-off"].incomplete  # between two stanzas
    excerpt = f"{cut}!\n".replace("show running-config\n", "show running-config all\n")
    assert "cut-off" not in remarks(put(tmp_path, excerpt))


@pytest.mark.parametrize(
    "base", ["junos braces", "srlinux braces", "srlinux json", "sonic", "vrp", "comware"]
)
def test_a_text_that_ends_early_is_incomplete(base: str, tmp_path: Path) -> None:
    lines = BASES[base].text.rstrip("\n").split("\n")
    for part in (0.3, 0.6, 0.9):
        cut = "\n".join(lines[: int(len(lines) * part)]) + "\n"
        found = [d.kind for d in judged(put(tmp_path, cut)).diagnostics if d.incomplete]
        assert {"cut-off", "syntax"} & set(found), lines[int(len(lines) * part) - 1]


def test_a_tree_that_ends_behind_a_key_is_cut_off(tmp_path: Path) -> None:
    text = BASES["cumulus yaml"].text
    cut = text[: text.index("\n", text.index("link:")) + 1]
    entry = remarks(put(tmp_path, cut))["cut-off"]
    assert (entry.incomplete, entry.line) == (True, cut.count("\n"))
    assert "cut-off" not in remarks(put(tmp_path, text))


@pytest.mark.parametrize("base", ["eos", "nxos", "os10", "vrp", "junos set"])
def test_a_last_line_that_breaks_off_in_a_word_is_told(base: str, tmp_path: Path) -> None:
    lines = BASES[base].text.rstrip("\n").split("\n")
    while re.fullmatch(r"|\{master:0\}|\S+[#>] ?", lines[-1]):
        lines.pop()  # what stands behind the configuration
    known = next(line for line in lines if line.strip().startswith(("mtu ", "interface ", "set ")))
    word = known.split()[0]
    cut = "\n".join([*lines, known[: known.index(word) + len(word) - 1]])
    assert remarks(put(tmp_path, cut))["cut-off"].incomplete


@pytest.mark.parametrize("last", ["vlan 10", "end", "!", "   mtu 921"])
def test_a_last_line_without_its_end_is_a_line(last: str, tmp_path: Path) -> None:
    text = EOS.rstrip("\n") + f"\nvlan 100\ninterface Ethernet60\n   mtu 9214\n{last}"
    assert "cut-off" not in remarks(put(tmp_path, text))


@pytest.mark.parametrize("value", ["${MTU}", "{{ mtu }}", "<MTU>", "$mtu", "%{mtu}"])
def test_a_place_of_a_template_is_no_value(value: str, tmp_path: Path) -> None:
    text = EOS.replace("end\n", "") + f"interface Ethernet61\n   mtu {value}\n!\nend\n"
    path = put(tmp_path, text)
    report = judged(path)
    assert report.devices == []
    entry = remarks(path)["template"]
    assert entry.incomplete
    assert "render it first" in entry.message
    assert entry.line == text.split("\n").index(f"   mtu {value}") + 1


def test_a_place_in_a_description_is_a_description(tmp_path: Path) -> None:
    text = EOS.replace("end\n", "")
    text += "interface Ethernet61\n   description ${peer} {{ x }} <PEER>\n!\nend\n"
    report = judged(put(tmp_path, text))
    assert [device.name for device in report.devices] == ["leaf1"]
    assert [entry for entry in report.diagnostics if entry.kind == "template"] == []


FORMS = {
    "openconfig": json.dumps({"openconfig-interfaces:interfaces": {"interface": []}}),
    "gnmi": json.dumps(
        [{"source": "leaf1", "timestamp": 1, "updates": [{"Path": "interfaces", "values": {}}]}]
    ),
    "patch": json.dumps([{"op": "add", "path": "/PORT/Ethernet0/mtu", "value": "9100"}]),
    "tables": json.dumps({"nf:filter": {"TABLE_interface": {"ROW_interface": []}}}),
    "netconf": "<rpc-reply xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'>\n<data>\n</data>\n",
    "terraform": 'resource "apstra_configlet" "dcqcn" {\n  name = "x"\n  text = <<-EOT\n'
    "    set class-of-service forwarding-classes class RDMA no-loss\n  EOT\n}\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_is_not_read_is_named_with_what_to_save(form: str, tmp_path: Path) -> None:
    entry = remarks(put(tmp_path, FORMS[form]))["unsupported-form"]
    assert entry.incomplete
    assert "save" in entry.message


def test_terraform_of_a_cloud_is_passed_over(tmp_path: Path) -> None:
    before = remarks(put(tmp_path, EOS)).keys()
    (tmp_path / "vpc.tf").write_text(
        'resource "aws_vpc" "main" {\n  cidr_block = "10.0.0.0/16"\n}\n'
    )
    assert remarks(tmp_path).keys() == before


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_packed_file_is_read_in_place(ending: str, pack: object, tmp_path: Path) -> None:
    assert callable(pack)
    path = tmp_path / f"leaf1.cfg{ending}"
    path.write_bytes(pack(EOS.encode()))
    (found,) = model(path)
    assert found["hostname"] == "leaf1"
    path.write_bytes(pack(EOS.encode())[:-20])
    assert remarks(path)["unreadable"].incomplete
    path.write_bytes(pack(pack(EOS.encode())))
    assert "unpack it first" in remarks(path)["unreadable"].message


def test_what_unpacks_to_more_than_a_file_may_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "leaf1.cfg.gz"
    path.write_bytes(gzip.compress(b"!\n" * (40 << 20)))
    assert "64 MiB" in remarks(path)["unreadable"].message


def as_tree(lines: list[str]) -> dict[str, object]:
    """The configuration as a device prints it in JSON: every line with its children."""
    top: dict[str, object] = {}
    open_ = [(-1, top)]
    for line in lines:
        if not line.strip() or line.strip().startswith("!") or line == "end":
            continue
        depth = len(line) - len(line.lstrip())
        while open_[-1][0] >= depth:
            open_.pop()
        below: dict[str, object] = {}
        open_[-1][1][line.strip()] = {"comments": [], "cmds": below}
        open_.append((depth, below))
    return {"cmds": top, "header": [line for line in lines[:5] if line.startswith("! ")]}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_tree_of_lines_says_what_the_lines_say(indent: int | None, tmp_path: Path) -> None:
    plain = model(put(tmp_path, EOS))
    path = put(tmp_path, json.dumps({"result": [as_tree(EOS.split("\n"))]}, indent=indent))
    assert model(path) == plain


def test_a_dump_of_the_database_says_what_the_file_says(tmp_path: Path) -> None:
    tables = json.loads(BASES["sonic"].text)
    rows = {
        f"{table}|{key}": {
            "expireat": 1.5,
            "ttl": -0.001,
            "type": "hash",
            "value": {
                f"{name}@" if isinstance(value, list) else name: ",".join(value)
                if isinstance(value, list)
                else value
                for name, value in row.items()
            },
        }
        for table, keys in tables.items()
        for key, row in keys.items()
    }
    (tmp_path / "plain").mkdir()
    plain = judged(put(tmp_path / "plain", BASES["sonic"].text))
    report = judged(put(tmp_path, json.dumps(rows, indent=2)))
    assert [device.name for device in report.devices] == ["leaf1"]
    assert {(f.rule, f.message) for f in report.findings} == {
        (f.rule, f.message) for f in plain.findings
    }


def test_files_for_adapters_of_other_makers_are_no_contradiction(tmp_path: Path) -> None:
    for name, hca, byte in (
        ("mlx", "mlx5_0", 106),
        ("bnxt", "bnxt_re0", 104),
        ("ionic", "ionic_0", 96),
    ):
        text = f"export NCCL_IB_HCA={hca}\nexport NCCL_IB_TC={byte}\n"
        (tmp_path / f"{name}.sh").write_text(text, encoding="utf-8")
    report = judged(tmp_path)
    assert [f.message for f in report.findings if f.rule == "SRC002"] == []
    (tmp_path / "mlx2.sh").write_text("export NCCL_IB_HCA=mlx5_1\n", encoding="utf-8")
    assert [f.rule for f in judged(tmp_path).findings if f.rule == "SRC002"] != []


def test_a_table_that_a_document_shortens_is_no_damage(tmp_path: Path) -> None:
    table = (
        "# command: show_gids  host: gpu1\n"
        "DEV     PORT    INDEX   GID                     IPv4            VER     DEV\n"
        "---     ----    -----   ---                     ------------    ---     ---\n"
        "mlx5_0  1       0       fe80:0000:{}:abcd                    v1      ens1\n"
        "mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:0a00:0906 10.0.9.6 v2  ens1\n"
        "n_gids_found=9\n"
    )
    shortened = judged(put(tmp_path, table.format("...")))
    assert [f.message for f in shortened.findings if f.rule == "SRC002"] == []
    assert [device.name for device in shortened.devices] == ["gpu1"]
    damaged = judged(put(tmp_path, table.format("zz")))
    assert [f.rule for f in damaged.findings if f.rule == "SRC002"] != []


@pytest.mark.parametrize("indent", [None, 2])
def test_a_tree_without_its_header_is_read(indent: int | None, tmp_path: Path) -> None:
    body = {
        "qos": {"roce": {"enable": "on", "mode": "lossless"}},
        "interface": {"swp1": {"type": "swp", "link": {"mtu": 9216}}},
        "system": {"hostname": "leaf1"},
    }
    path = put(tmp_path, json.dumps(body, indent=indent))
    (device,) = judged(path).devices
    assert (device.name, device.nos) == ("leaf1", "cumulus")
    wrapped = put(tmp_path, json.dumps([{"set": body}], indent=indent))
    (other,) = judged(wrapped).devices
    assert other.name == "leaf1"


def test_a_cable_to_a_port_that_its_file_lacks_is_incomplete(tmp_path: Path) -> None:
    for name in ("leaf1", "leaf2"):
        text = HEADING.replace("leaf1", name) + EOS.removeprefix(HEADING).replace("leaf1", name)
        (tmp_path / f"{name}.cfg").write_text(text, encoding="utf-8")
    port = next(line.split()[1] for line in EOS.split("\n") if line.startswith("interface Eth"))
    for far, incomplete in ((port, False), ("Ethernet99/1", True)):
        plan = f"- [leaf1:{port}, leaf2:{far}]\n"
        (tmp_path / "links.yaml").write_text(plan, encoding="utf-8")
        said = [entry for entry in judged(tmp_path).diagnostics if entry.kind == "links"]
        assert [entry.incomplete for entry in said] == [True] * incomplete
