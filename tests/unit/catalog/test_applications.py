"""The table of variables: whole, recognised by name and family, and equal where values mean the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.catalog.applications import (
    GID_INDEX,
    KINDS,
    meaning,
    names_pattern,
    of_kind,
    read_variables,
    row_of,
    selects,
    variables,
)
from roce_lint.cli.main import cli
from roce_lint.errors import UsageError

ROW = '["X_*"]\nused_by = "x"\nkind = "number"\nmeaning = "y"\nsource = "somebody who knows"\n'


def test_every_row_is_whole() -> None:
    names = variables()
    for name, row in names.items():
        assert len(row.source) > 10, name
        assert row.kind in KINDS
        assert row.flow in ("", "data", "control", "storage")
        assert bool(row.flow) == (row.kind in ("class byte", "DSCP")), name
        assert row.devices in ("", *names)
        assert str(row.devx).partition("=")[0] in ("", "False", "True", *names)
        assert row.confidence in ("confirmed", "unconfirmed")
    assert {"NCCL", "RCCL", "UCX", "NVSHMEM", "MSCCL++", "Mooncake", "TransferBench", "NVMe", "Ceph",
            "Lustre"} <= {each for row in names.values() for each in row.used_by.split(", ")}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("NCCL_IB_TC", "NCCL_IB_TC"),
        ("NCCL_IB_SPLIT_DATA_ON_QPS", "NCCL_IB_*"),
        ("MC_HOST_minio", None),  # holds credentials
        ("NCCL_DEBUG", None),
        ("NCCL_IB_X\x1b", None),
        ("nccl_ib_tc", None),
    ],
)
def test_the_row_of_a_name(name: str, row: str | None) -> None:
    found = row_of(name)
    assert (found.name if found is not None else None) == row


def test_generic_names_show_no_file_to_be_about_rdma() -> None:
    names = re.compile(names_pattern())
    shown = {n for n, row in variables().items() if names.fullmatch(n.replace("*", "X"))}
    rest = {n for n, row in variables().items() if row.generic or row.set_in != "environment"}
    assert shown == variables().keys() - rest


@pytest.mark.parametrize(
    ("name", "one", "other", "equal"),
    [
        ("NCCL_IB_TC", "106", "0x68", True),
        ("NCCL_IB_TC", "104", "107 ", True),
        ("NCCL_IB_TC", "106", "26", False),
        ("UCX_IB_TRAFFIC_CLASS", "AUTO", "106", True),
        ("NCCL_IB_SL", "104", "105", False),
        ("NCCL_IB_GID_INDEX", "3", "03", True),
        ("NCCL_IB_HCA", "mlx5_0,mlx5_1", "mlx5_1, mlx5_0", True),
        ("NCCL_IB_HCA", "=mlx5_0", "mlx5_0", False),
        ("NCCL_IB_HCA", "^mlx5_0", "mlx5_0", False),
        ("NVSHMEM_IB_ENABLE_IBGDA", "1", "true", True),
        ("NCCL_IB_DISABLE", "0", "1", False),
        ("SOMETHING", "1", "01", False),
    ],
)
def test_values_of_one_meaning(name: str, one: str, other: str, equal: bool) -> None:
    assert (meaning(name, one) == meaning(name, other)) is equal


@pytest.mark.parametrize(
    ("name", "value", "leaves"),
    [
        ("NCCL_NET", "Socket", True),
        ("NCCL_NET", "IB", False),
        ("NCCL_NET", "AWS Libfabric", False),
        ("UCX_TLS", "tcp,self,sm", True),
        ("UCX_TLS", "rc_x,tcp", False),
        ("UCX_TLS", "^tcp", False),
        ("UCX_TLS", "all", False),
        ("NCCL_IB_DISABLE", "0", False),
        ("NCCL_IB_DISABLE", "1", True),
        ("MC_FORCE_TCP", "", False),
        ("NVSHMEM_REMOTE_TRANSPORT", "none", True),
    ],
)
def test_what_takes_an_application_off_rdma(name: str, value: str, leaves: bool) -> None:
    row = row_of(name)
    assert row is not None
    assert row.leaves_rdma(value) is leaves


@pytest.mark.parametrize(
    ("listed", "variable", "chosen"),
    [
        ("mlx5_1", "NCCL_IB_HCA", {"mlx5_1", "mlx5_10"}),
        ("mlx5_1:1", "UCX_NET_DEVICES", {"mlx5_1"}),
        ("all", "UCX_NET_DEVICES", {"mlx5_0", "mlx5_1", "mlx5_10"}),
        ("^mlx5_1:1", "NVSHMEM_HCA_LIST", {"mlx5_0", "mlx5_10"}),
        ("eth0", "UCX_NET_DEVICES", set()),
    ],
)
def test_a_list_selects_as_its_library_reads_it(
    listed: str, variable: str, chosen: set[str]
) -> None:
    names = ("mlx5_0", "mlx5_1", "mlx5_10")
    assert {name for name in names if selects(listed, name, variable)} == chosen


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("meaning", "meanin", 1, "[X_*]: unknown key meanin; did you mean meaning?"),
        ('source = "somebody who knows"\n', "", 1, "[X_*]: source is missing"),
        ('"number"', '"numbr"', 1, "kind is 'numbr', and must be one of class byte, "),
        ('"y"', "y", 4, "not valid TOML"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    path = tmp_path / "variables.toml"
    path.write_text(ROW.replace("X_", "Y_") + "\n" + ROW.replace(old, new, 1))
    with pytest.raises(UsageError) as caught:
        read_variables(path)
    assert words in caught.value.message
    assert caught.value.location == f"{path}:{line + 6}"


@pytest.mark.parametrize("asked", ["NCCL_IB_TC", "nccl_ib_tc", " NCCL_IB_TC "])
def test_explain_prints_a_row(asked: str) -> None:
    result = CliRunner().invoke(cli, ["explain", asked])
    assert result.exit_code == 0
    assert result.output.startswith("NCCL_IB_TC\n")
    assert re.search(r"kind: +class byte\n", result.output)
    assert variables()["NCCL_IB_TC"].source in result.output


def test_explain_names_a_variable_that_was_meant() -> None:
    result = CliRunner().invoke(cli, ["explain", "NCC_IB_TC"])
    assert result.exit_code == 2
    assert "did you mean NCCL_IB_TC" in result.output


def test_each_gid_index_is_used_on_known_devices() -> None:
    assert {"NCCL_IB_GID_INDEX", "UCX_IB_GID_INDEX", "MC_GID_INDEX"} <= of_kind(GID_INDEX).keys()
