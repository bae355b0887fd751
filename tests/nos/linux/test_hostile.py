"""Reading any files of a host ends with a Device of plain values and a note."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import ReadError
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.dump import dump
from roce_lint.nos.declare import Form, Source
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.linux import NOS
from roce_lint.text.source import SourceFile
from tests.nos.hostile import kinds_of_text
from tests.nos.test_cases import inputs, read_case

HERE = Path(__file__).resolve().parent
CASES = sorted(path for path in HERE.iterdir() if path.is_dir() and inputs(path))
LINES = sorted(
    {line for case in CASES for path in inputs(case) for line in path.read_text().split("\n")}
)
ARGS = {"port": "ens1", "nic": "mlx5_0", "device": "0000:41:00.0"}
ODD = ("9" * 30, "-1", "", "\u0663", "1,,2", "\x00", "\u2028", "0x", "é" * 50, "*", "a:b:c", "/")
TREES = [source for source in NOS.sources if source.form in (Form.JSON, Form.YAML)]
TEXTS = [source for source in NOS.sources if source not in TREES]


def one(source: Source, text: str, **args: str) -> Device:
    file = SourceFile.of("x.txt", text)
    return read_device(NOS, "gpu-1", [IdentifiedFile(file, source, args or ARGS)])


@pytest.mark.parametrize("source", TEXTS, ids=lambda source: source.name)
@given(
    st.lists(
        st.tuples(st.sampled_from(LINES), st.integers(0, 12), st.sampled_from(ODD)), max_size=30
    )
)
def test_any_lines(source: Source, lines: list[tuple[str, int, str]]) -> None:
    """Lines of any output, in any order, some with one word replaced."""
    text = []
    for line, place, word in lines:
        words = line.split(" ")
        if place < len(words):
            words[place] = word
        text.append(" ".join(words))
    dump(one(source, "\n".join(text)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.sampled_from(ODD) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=9)
        | st.dictionaries(
            st.sampled_from(
                [
                    "prio_pfc",
                    "prio_tc",
                    "tc_bw",
                    "tc_tsa",
                    "dscp_prio",
                    "default_prio",
                    "prio_buffer",
                    "buffer_size",
                    "delay",
                    "host",
                    "ieee",
                    "order",
                    "ifname",
                    "mtu",
                    "flags",
                    "address",
                    "link",
                    "master",
                    "linkinfo",
                    "info_kind",
                    "info_data",
                    "id",
                    "addr_info",
                    "local",
                    "prefixlen",
                    "scope",
                    "altnames",
                    "vfinfo_list",
                    "mac",
                    "port",
                    "netdev",
                    "state",
                    "lldp",
                    "interface",
                    "name",
                    "chassis",
                    "descr",
                    "mfs",
                    "unknown-tlvs",
                    "unknown-tlv",
                    "oui",
                    "subtype",
                    "value",
                    "ifindex",
                    "network",
                    "ethernets",
                    "vlans",
                    "bonds",
                    "match",
                    "macaddress",
                    "set-name",
                    "addresses",
                    "interfaces",
                    "dhcp4",
                    "param",
                    "values",
                    "nic",
                    "lif",
                    "spec",
                    "status",
                    "pause_type",
                    "rdma_mtu",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("source", TREES, ids=lambda source: source.name)
@given(JSON)
def test_any_tree(source: Source, data: object) -> None:
    """Keys that are known, with values of any type."""
    text = json.dumps(data if isinstance(data, dict | list) else [data])
    try:
        device = one(source, text)
    except ReadError:
        assert source.form is Form.YAML  # which does not take every string that JSON takes
    else:
        dump(device)


WRONG = ([["x"]], {"a": [1]}, True, -1, 10**30, "", ["x", {"y": 1}], [None])
"""Values that no key of an output has."""


@pytest.mark.parametrize("file", ["ip-link.json", "ip-addr.json"])
def test_a_value_of_another_type_is_noted_and_unknown(file: str) -> None:
    source = next(each for each in NOS.sources if each.name == file.removesuffix(".json") + "-json")
    text = (HERE / "stacked" / file).read_text()
    head, _, body = text.rpartition("\n[")
    rows = json.loads(f"[{body}")
    for row, data in enumerate(rows):
        for key in data:
            for wrong in WRONG:
                spoilt = [*rows[:row], {**data, key: wrong}, *rows[row + 1 :]]
                dump(one(source, f"{head}\n{json.dumps(spoilt)}"))
    device = one(source, json.dumps([{"ifname": "ens1", "link": [["x"]], "mtu": "9000"}]))
    assert {note.kind for note in device.notes} == {NoteKind.BAD_VALUE}
    assert device.interfaces["ens1"].ip_mtu is None


@pytest.mark.parametrize("source", TREES, ids=lambda source: source.name)
def test_broken_trees_are_refused(source: Source) -> None:
    with pytest.raises(ReadError):
        one(source, '{"prio_pfc": [true, ')


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_only_plain_values_are_left(case: Path) -> None:
    device, _ = read_case(NOS, case)
    assert kinds_of_text(device) == {str}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_order_of_files_changes_nothing(case: Path) -> None:
    """Values are the same; the shown one of two equal statements may differ."""
    device, files = read_case(NOS, case)
    shuffled = list(files)
    random.Random(case.name).shuffle(shuffled)  # noqa: S311 - the same order in every run
    again = read_device(NOS, device.hostname, shuffled)
    assert again.interfaces == device.interfaces
    assert again.qos == device.qos
    assert again.nics == device.nics
    assert again.environment == device.environment
    assert again.kernel == device.kernel
    assert {note.message for note in again.notes} == {note.message for note in device.notes}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_windows_line_ends_change_nothing(case: Path) -> None:
    device, files = read_case(NOS, case)
    windows = [
        dataclasses.replace(
            each, file=SourceFile.of(each.file.name, each.file.text.replace("\n", "\r\n"))
        )
        for each in files
    ]
    assert dump(read_device(NOS, device.hostname, windows)) == dump(device)


@pytest.mark.deep
def test_a_long_output_is_read_in_time() -> None:
    rows = "".join(
        f"mlx5_{n % 8}\t1\t{n // 8}\t0000:0000:0000:0000:0000:ffff:0a00:{n:04x}\t\tv2\tens{n % 8}\n"
        for n in range(8 * 1024)
    )
    device = one(NOS.by_source["show_gids"], rows)
    assert sum(len(nic.gids) for nic in device.nics.values()) == 8 * 1024


@pytest.mark.deep
def test_a_script_that_repeats_itself_is_read() -> None:
    body = "".join(f"mlnx_qos -i ens1 --dscp2prio set,{n % 64},{n % 8}\n" for n in range(5000))
    branch = f"if true; then\n{body}fi\n"
    for text in (body, branch):
        device = one(NOS.by_source["script"], f"#!/bin/sh\n{text}")
        assert set(device.interfaces) == {"ens1"}
