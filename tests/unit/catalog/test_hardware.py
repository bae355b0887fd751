"""The catalogue of hardware: it is whole, a site lays its own over it, and faults have a line."""

from __future__ import annotations

import fnmatch
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.catalog.hardware import hardware
from roce_lint.cli.main import cli
from roce_lint.errors import UsageError
from roce_lint.model.device import Device
from roce_lint.resources import resource_dir

FILES = sorted((resource_dir("rules") / "hardware").glob("*.toml"))

OWN = """\
[[asics]]
name = "Our chip"
models = ["ours-*", "DCS-7060X6-64PE"]
buffer_bytes = 1000000
source = "measured in our laboratory"
confidence = "confirmed"
"""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_entry_says_where_it_is_from(path: Path) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    for entry in [*data["asics"], *data.get("headroom", ())]:
        assert len(entry["source"]) > 20
        assert entry["models"] == list(dict.fromkeys(entry["models"]))


def test_no_model_has_two_asics() -> None:
    entries = hardware().asics
    for one, other in combinations(entries, 2):
        for pattern in one.models:
            plain = pattern.replace("*", "").casefold()
            assert not any(
                fnmatch.fnmatchcase(plain, theirs.casefold())
                and not fnmatch.fnmatchcase(theirs.replace("*", "").casefold(), pattern.casefold())
                for theirs in other.models
            ), (pattern, other.name)


@pytest.mark.parametrize(
    ("model", "name", "buffer"),
    [
        ("DCS-7060X6-64PE", "Tomahawk 5", 166 << 20),
        ("dcs-7060cx-32s-F", "Tomahawk", 16 << 20),
        ("ACS-MSN4700", "Spectrum-3", 64 << 20),
        ("DCS-7280CR3-32P4", "Jericho family", None),  # packets lie in memory outside
        ("Mellanox-SN5640-C512S2", "Spectrum-5", None),
    ],
)
def test_a_model_has_its_asic(model: str, name: str, buffer: int | None) -> None:
    found = hardware().asic_of(model)
    assert found is not None
    assert (found.name, found.buffer_bytes) == (name, buffer)


def test_a_model_that_nobody_knows() -> None:
    known, unknown = (
        Device(hostname="a", nos="EOS", model="DCS-7060X6-64PE"),
        Device(hostname="b", nos="EOS", model="Made-Up-32"),
    )
    hardware().fill([known, unknown, Device(hostname="c", nos="EOS")])
    assert known.asic is not None
    assert unknown.asic is None


def test_what_a_maker_ships_belongs_to_the_model() -> None:
    found = hardware().asic_of("ACS-MSN4700")
    other = hardware().asic_of("ACS-MSN4600C")
    assert found is not None
    assert other is not None
    assert (400, 40, 77824) in found.shipped
    assert not other.shipped


def test_a_site_lays_its_own_over_it(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(OWN)
    for model in ("DCS-7060X6-64PE", "Ours-1"):
        found = hardware([tmp_path]).asic_of(model)
        assert found is not None
        assert (found.name, found.buffer_bytes) == ("Our chip", 1_000_000)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (
            "buffer_bytes = 1000000",
            "buffer_bytes = -4",
            4,
            "asics[0].buffer_bytes must be more than 0, found -4",
        ),
        ("buffer_bytes", "bufer_bytes", 4, "unknown key asics[0].bufer_bytes"),
        ('source = "measured in our laboratory"\n', "", 1, "asics[0].source is missing"),
        ('"confirmed"', '"surely"', 6, "asics[0].confidence must be one of confirmed"),
        ("[[asics]]", "[[asic]]", 1, "unknown key asic"),
        ("1000000", "1 000", 4, "not valid TOML"),
    ],
)
def test_a_wrong_field_is_named_with_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(OWN.replace(old, new, 1))
    with pytest.raises(UsageError) as caught:
        hardware([tmp_path])
    assert words in caught.value.message
    assert caught.value.location == f"{path}:{line}"
    assert ("did you mean buffer_bytes" in (caught.value.hint or "")) == (new == "bufer_bytes")


def test_the_second_entry_has_its_own_lines(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(OWN + OWN.replace("1000000", "0"))
    with pytest.raises(UsageError) as caught:
        hardware([tmp_path])
    assert caught.value.location == f"{path}:10"


def test_the_command_refuses_a_wrong_file(tmp_path: Path) -> None:
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw" / "ours.toml").write_text(OWN.replace("= 1000000", "= 0"))
    (tmp_path / "roce-lint.toml").write_text('[catalog]\nhardware = ["hw"]\n')
    (tmp_path / "leaf1.cfg").write_text("hostname leaf1\n")
    settings = str(tmp_path / "roce-lint.toml")
    result = CliRunner().invoke(cli, ["check", str(tmp_path), "--config", settings, "--no-cache"])
    assert result.exit_code == 2
    assert "ours.toml:4" in result.output
    assert "buffer_bytes" in result.output
