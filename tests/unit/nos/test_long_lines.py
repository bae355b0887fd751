"""An overlong line is reported and never matched against a pattern."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.loading.load import load
from roce_lint.model.device import NoteKind
from roce_lint.text.source import LINE_LIMIT, LineState
from tests.unit.loading.making import eos

HOST = "mlnx_qos -i ens1 --trust dscp\n"


@pytest.mark.parametrize("name", ["leaf1.cfg", "gpu1/set.sh"])
def test_a_long_line_is_told_and_the_rest_is_read(tmp_path: Path, name: str) -> None:
    text = eos("leaf1") if name.endswith(".cfg") else f"#!/bin/sh\n{HOST}"
    before = text.count("\n")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{text}x {'y' * LINE_LIMIT}\n{'z' * LINE_LIMIT}\n")
    (device,) = load((str(tmp_path),)).devices
    notes = [note for note in device.notes if "passed over" in note.message]
    assert [note.message for note in notes] == [
        "a line of more than 16384 characters is passed over"
    ]
    assert notes[0].kind is NoteKind.BAD_VALUE
    assert device.src.line_of(notes[0].at[""]) == before + 1
    assert device.src.files[0].states[before] == LineState.UNRECOGNISED
    assert device.interfaces
