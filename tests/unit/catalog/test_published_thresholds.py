"""The published marking thresholds, and their span at a speed."""

from __future__ import annotations

from roce_lint.catalog.profiles import marking_span, marking_thresholds


def test_every_entry_is_a_pair_with_a_source() -> None:
    entries = marking_thresholds()
    assert all(entry.kmin_bytes <= entry.kmax_bytes for entry in entries)
    assert len({entry.by for entry in entries}) == len(entries)


def test_a_span_holds_what_is_meant_for_the_speed_or_for_any() -> None:
    span = marking_span(400.0)
    assert (span.lowest.by, span.lowest.kmin_bytes) == ("SONiC, profile for Arista 7060X6", 131072)
    assert span.highest.kmax_bytes == 10_000_000
    assert marking_span(40.0).lowest.kmin_bytes == 5000


def test_a_speed_nobody_writes_about_has_what_holds_for_any() -> None:
    span = marking_span(1600.0)
    assert (span.lowest.kmin_bytes, span.highest.kmax_bytes) == (150_000, 2_097_152)


def test_without_a_speed_everything_counts() -> None:
    span = marking_span(None)
    assert (span.lowest.kmin_bytes, span.highest.kmax_bytes) == (5000, 12_000_144)
