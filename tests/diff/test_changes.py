"""Changes offered by a finding have a path, and fix it where applied."""

from __future__ import annotations

import json
from functools import cache
from operator import itemgetter
from typing import Any

from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.model.path import parse
from roce_lint.model.schema import resolve, type_of
from roce_lint.model.values import UNSET
from tests.conftest import ROOT
from tests.sampling import sample

BROKEN = str(ROOT / "sample_configs" / "broken-fabric")


@cache
def findings() -> list[dict[str, Any]]:
    done = CliRunner().invoke(cli, ["check", BROKEN, "--format", "json", "--no-cache"])
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return found


def _subjects(finding: dict[str, Any]) -> set[str]:
    return {subject for each in finding["occurrences"] for subject in each["subjects"]}


def _has_names(subjects: set[str]) -> bool:
    """Whether subjects are structures, such as `qos policy ROCE`, instead of ports."""
    return all(" " in subject for subject in subjects)


def test_the_first_change_is_the_fix_and_every_occurrence_has_its_own() -> None:
    offered = [finding for finding in findings() if finding["fix"]]
    assert offered
    for finding in offered:
        paths = [parse(fix["path"]) for fix in finding["fixes"]]
        assert {path.device for path in paths} == {o["device"] for o in finding["occurrences"]}
        assert [str(resolve(path)) for path in paths] == [fix["path"] for fix in finding["fixes"]]
        assert finding["fix"]["safety"] == finding["fixes"][0]["safety"]
        assert all(fix["old"] != fix["new"] and not fix["proved"] for fix in finding["fixes"])
    assert all(finding["fixes"] == [] for finding in findings() if not finding["fix"])


def test_a_change_puts_its_finding_right() -> None:
    """Each finding alone: with all its values set, it is gone; but for one about a name in a line,
    which is no value, for whole objects, which have no spelling, and for adapters, of whose
    settings the marks of a host follow.
    """
    offered = [f for f in findings() if f["fixes"] and not _has_names(_subjects(f))]
    for finding in sample(offered, 8, name=itemgetter("fingerprint")):
        paths = [parse(fix["path"]) for fix in finding["fixes"]]
        if any(type_of(path).kind or path.steps[0].field == "nics" for path in paths):
            continue
        words = [
            word
            for fix in finding["fixes"]
            for word in ("--set", f"{fix['path']}={fix['new'] or UNSET}")
        ]
        done = CliRunner().invoke(cli, ["whatif", BROKEN, *words, "--format", "json", "--no-cache"])
        answer = json.loads(done.stdout)
        assert finding["rule"] in {gone["rule"] for gone in answer["gone"]}, finding["message"]
        stays = [f for f in answer["stays"] if f["fingerprint"] == finding["fingerprint"]]
        assert stays == []
