"""Branches of the buffer rules that the examples of their pages do not reach."""

from __future__ import annotations

import pytest

from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.device import Device
from roce_lint.model.qos import HeadroomModel
from tests.unit.checks.judging import missing, said
from tests.unit.fabric import lines_of, port, switch


def static(*, lossless: bool | None = None, in_file: bool = True) -> Device:
    leaf = switch("leaf1")
    made = port(leaf, "e1")
    leaf.system.headroom, leaf.system.headroom_in_file = HeadroomModel.STATIC, in_file
    leaf.qos.ingress_buffers["b"] = IngressBuffer(src=leaf.src, at={"": lines_of(leaf).next()})
    if lossless is not None:
        profile = BufferProfile(name="p", lossless=lossless)
        leaf.qos.ingress_buffers["b"].groups[3] = profile
        leaf.qos.ingress_buffers["b"].at[3] = lines_of(leaf).next()
    made.qos.ingress_buffer = "b"
    return leaf


def test_a_paused_class_needs_lossless_buffer() -> None:
    assert [message.rpartition(" has ")[2] for _, message in said("BUF001", static())] == [
        "no buffer profile"
    ]
    assert [
        message.rpartition(" has ")[2] for _, message in said("BUF001", static(lossless=False))
    ] == ["the lossy buffer profile p"]
    assert said("BUF001", static(lossless=True)) == []
    assert said("BUF001", static(in_file=False)) == []


@pytest.mark.parametrize("model", [HeadroomModel.DYNAMIC, HeadroomModel.PLATFORM])
def test_what_is_computed_need_not_be_in_the_file(model: HeadroomModel) -> None:
    leaf = static()
    leaf.system.headroom = model
    assert said("BUF001", leaf) == []


def test_how_headroom_comes_about_may_be_missing() -> None:
    leaf = static()
    leaf.system.headroom = None
    assert missing("BUF001", leaf) == {"how the platform sizes headroom"}


def test_a_cable_of_no_length_is_an_error_and_a_missing_one_a_warning() -> None:
    leaf = static()
    assert [level for level, _ in said("BUF002", leaf)] == ["warning"]
    leaf.interfaces["e1"].cable_m = 0
    leaf.interfaces["e1"].at["cable_m"] = lines_of(leaf).next()
    assert [level for level, _ in said("BUF002", leaf)] == ["error"]
    leaf.interfaces["e1"].cable_m = 5
    assert said("BUF002", leaf) == []
    leaf.interfaces["e1"].cable_m, leaf.system.headroom_in_file = None, False
    assert missing("BUF002", leaf) == {"the cable length of the port"}
