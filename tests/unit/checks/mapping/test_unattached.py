"""A no-drop policy that is attached nowhere while PFC is on, where no port is known to carry RoCE."""

from __future__ import annotations

import pytest

from tests.bench import check, edit
from tests.fabrics.stable import build
from tests.small_fabrics.rows import observed

NXOS = (
    ("  service-policy type network-qos ROCE-NQ\n", ""),
    ("  no shutdown\n", ""),  # routed ports are shut unless a line brings them up
)
OS10 = ((" service-policy input type network-qos PFC-RDMA\n", ""), (" no shutdown\n", ""))
LEAF = "switches/leaf1.cfg"


@pytest.mark.parametrize(
    ("nos", "edits", "line"),
    [
        ("nxos", NXOS, "policy-map type network-qos ROCE-NQ"),
        ("os10", OS10, "policy-map type network-qos PFC-RDMA"),
    ],
)
def test_pfc_is_on_and_the_policy_attached_nowhere(
    nos: str, edits: tuple[tuple[str, str], ...], line: str
) -> None:
    files = edit(build([nos, nos]), LEAF, *edits, every=True)
    assert ("error MAP004", line) in observed(check({LEAF: files[LEAF]}))
    off = edit(files, LEAF, ("priority-flow-control mode on", "mtu 9216"), every=True)
    assert ("error MAP004", line) not in observed(check({LEAF: off[LEAF]}))


def test_ports_that_a_line_shuts_do_not_count() -> None:
    shut = (NXOS[0], ("  no shutdown\n", "  shutdown\n"))
    files = edit(build(["nxos", "nxos"]), LEAF, *shut, every=True)
    assert all(rule != "error MAP004" for rule, _ in observed(check({LEAF: files[LEAF]})))
