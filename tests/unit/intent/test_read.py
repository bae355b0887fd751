"""All faults of an intent are reported in one run, each with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.errors import IntentError
from roce_lint.intent.read import LISTED, SIZE_LIMIT, read_whole
from roce_lint.model.nic import Flow

CODE_POINT = "must be a DSCP, 0 to 63 or a name such as af31"
FLOWS = "must be one of data, cnp, storage, other"


def refused(tmp_path: Path, text: str | bytes) -> list[str]:
    path = tmp_path / "intent.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(IntentError) as raised:
        read_whole(path).plan()
    return [line.removeprefix(f"{path}:") for line in str(raised.value).splitlines()]


def test_what_is_right_is_read(tmp_path: Path) -> None:
    path = tmp_path / "intent.yaml"
    path.write_text("classes:\n  roce: {dscp: [af31, 24], pfc_priority: 3, lossless: true}\n")
    (planned,) = read_whole(path).plan().classes
    assert (planned.flow, planned.dscps, planned.pfc_priority) == (Flow.DATA, (24, 26), 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("clases: {}\n", "1: unknown key clases (did you mean classes?)"),
        (
            "classes:\n  roce: {dscp: [26], losless: true}\n",
            "2: unknown key classes.roce.losless (did you mean lossless?)",
        ),
        (
            "marking:\n- kmin_bytes: 1\n- {kmin_byte: 3}\n",
            "3: unknown key marking[1].kmin_byte (did you mean kmin_bytes?)",
        ),
        ("classes:\n  roce:\n    flow: data\n", "2: classes.roce.dscp is missing"),
        ("classes: 3\n", "1: classes must be a mapping, found 3"),
        ("classes:\n  roce: {dscp: 26}\n", "2: classes.roce.dscp must be a list, found 26"),
        (
            "classes:\n  roce: {dscp: []}\n",
            "2: classes.roce.dscp must be a list of at least 1, found a list of 0",
        ),
        (
            "classes:\n  roce: {dscp: [64]}\n",
            "2: classes.roce.dscp[0] must be at most 63, found 64",
        ),
        (
            "classes:\n  roce: {dscp: [af99]}\n",
            f"2: classes.roce.dscp[0] {CODE_POINT}, found 'af99'",
        ),
        (
            "classes:\n  roce: {dscp: [1], flow: dta}\n",
            f"2: classes.roce.flow {FLOWS}, found 'dta' (did you mean data?)",
        ),
        ("max_lossless: two\n", "1: max_lossless must be a whole number, found 'two'"),
        ("max_lossless: -1\n", "1: max_lossless must be at least 0, found -1"),
        ("marking: [{speed_gbps: 0}]\n", "1: marking[0].speed_gbps must be more than 0, found 0"),
        (
            "oversubscription: {tor: 3}\n",
            "1: oversubscription.tor must be one of leaf, spine, found 'tor'",
        ),
        (
            "lossless_unmarked: perhaps\n",
            "1: lossless_unmarked must be true or false, found 'perhaps'",
        ),
        (
            "marking:\n- {kmin_bytes: 9, kmax_bytes: 3}\n",
            "2: marking[0] has a kmin_bytes above its kmax_bytes",
        ),
        ("name: a\nname: b\n", '2: "name" comes again; the last one counts'),
        ("- name: a\n", "1: must be one mapping, found something else"),
        ("", "1: must be one mapping, found nothing"),
        ("a: 1\n---\nb: 1\n", "1: must be one mapping, found 2 documents"),
    ],
)
def test_one_fault(tmp_path: Path, text: str, said: str) -> None:
    assert refused(tmp_path, text) == [said]


def test_all_faults_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = "max_lossless: x\nclasses:\n  a: {dscp: [70]}\n  b: {}\nnam: x\n"
    assert [line.partition(":")[0] for line in refused(tmp_path, text)] == ["1", "3", "4", "5"]


def test_a_flood_of_faults_is_counted(tmp_path: Path) -> None:
    lines = refused(tmp_path, "".join(f"k{n}: 1\n" for n in range(500)))
    assert len(lines) == LISTED + 1
    assert lines[-1].endswith(f"{500 - LISTED} more are wrong")


def test_what_was_found_is_shown_in_one_printable_line(tmp_path: Path) -> None:
    (line,) = refused(tmp_path, f'max_lossless: "a\\e[31m\\n{"x" * 500}"\n')
    assert line.isprintable()
    assert len(line) < 200


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a: \xff\n", "1: is not UTF-8"),
        (b"a: [1\n", "2: not valid YAML"),
        (b"x" * (SIZE_LIMIT + 1), "larger than 16 MiB"),
        (b"a: &a [*a]\n", "1: "),
    ],
)
def test_what_is_no_yaml(tmp_path: Path, data: bytes, said: str) -> None:
    assert said in refused(tmp_path, data)[0]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(IntentError, match="cannot be read: No such file"):
        read_whole(tmp_path / "none.yaml")
