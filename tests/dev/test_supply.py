"""CI installs hash-pinned packages within the ranges; the bill of materials lists all of them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from roce_lint.dev import supply
from roce_lint.dev.__main__ import main
from roce_lint.errors import UsageError
from tests.conftest import ROOT

LOCK = (ROOT / supply.LOCK).read_text(encoding="utf-8")


def advisory(folder: Path, name: str, **affected: object) -> None:
    entry = {
        "id": f"TEST-{name}",
        "summary": "a fault",
        "affected": [{"package": {"ecosystem": "PyPI", "name": name}, **affected}],
    }
    (folder / f"{name}.json").write_text(json.dumps(entry))


def test_every_requirement_is_pinned_to_a_version_in_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    wanted += [
        line
        for line in (ROOT / "requirements.build.in").read_text().splitlines()
        if not line.startswith("#")
    ]
    pinned = {pin.name: pin.version for pin in supply.pins(LOCK)}
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)])


def test_the_lock_names_no_place_to_fetch_from() -> None:
    assert not re.search(r"https?:|--(?:extra-)?index-url|--find-links|@ ", LOCK)


def test_a_pin_without_a_hash_is_refused() -> None:
    with pytest.raises(UsageError, match="rich is pinned without a hash"):
        supply.pins("rich==15.0.0\n")


def test_the_bill_names_what_an_install_needs_and_no_tool(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["sbom"], ROOT) == 0
    bill = json.loads(capsys.readouterr().out)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    names = {part["name"] for part in bill["components"]}
    assert {"click", "pydantic", "pydantic-core", "markupsafe", "ttp"} <= names
    assert not names & {"pytest", "ruff", "mypy", "hatchling"}
    refs = {part["bom-ref"] for part in bill["components"]} | {
        bill["metadata"]["component"]["bom-ref"]
    }
    for entry in bill["dependencies"]:
        assert {entry["ref"], *entry["dependsOn"]} <= refs
    assert main(["sbom"], ROOT) == 0
    assert json.loads(capsys.readouterr().out) == bill


@pytest.mark.parametrize(
    ("affected", "hit"),
    [
        ({"versions": ["15.0.0"]}, True),
        ({"versions": ["14.0.0"]}, False),
        (
            {
                "ranges": [
                    {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "15.0.1"}]}
                ]
            },
            True,
        ),
        (
            {
                "ranges": [
                    {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "15.0.0"}]}
                ]
            },
            False,
        ),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "16"}]}]}, False),
        (
            {
                "ranges": [
                    {
                        "type": "ECOSYSTEM",
                        "events": [{"introduced": "2"}, {"last_affected": "15.0.0"}],
                    }
                ]
            },
            True,
        ),
        ({"ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}]}, False),
    ],
)
def test_a_known_fault_is_found_in_the_versions_that_have_it(
    tmp_path: Path, affected: dict[str, object], hit: bool
) -> None:
    advisory(tmp_path, "Rich", **affected)
    pinned = [supply.Pin("rich", "15.0.0", ())]
    found = list(supply.advisories_for(pinned, tmp_path))
    assert found == (["TEST-Rich: rich 15.0.0: a fault"] if hit else [])


def test_a_known_fault_fails_and_no_data_is_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit"], ROOT) == 0
    assert capsys.readouterr().out.startswith("skipped: no folder of advisories")
    advisory(tmp_path, "ttp", versions=[p.version for p in supply.pins(LOCK) if p.name == "ttp"])
    assert main(["audit", "--advisories", str(tmp_path)], ROOT) == 1
    assert "TEST-ttp" in capsys.readouterr().out
    assert main(["audit", "--advisories", str(ROOT / "docs" / "nos")], ROOT) == 2
