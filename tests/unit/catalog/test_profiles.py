"""Named profiles: each is complete and names its sources."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from roce_lint.catalog import profiles
from roce_lint.errors import UsageError
from roce_lint.model.nic import Flow
from roce_lint.model.plan import RocePlan
from roce_lint.pipeline import Request, run
from roce_lint.resources import resource_dir
from roce_lint.settings import Settings, load
from tests.unit.checks.judging import values

FOLDER = resource_dir("rules") / "profiles"


def spelled(plan: RocePlan) -> list[tuple[str, Flow, tuple[int, ...], int | None, bool | None]]:
    return [(c.name, c.flow, c.dscps, c.pfc_priority, c.lossless) for c in plan.classes]


@pytest.mark.parametrize("name", profiles.names())
def test_a_profile_is_whole(name: str) -> None:
    plan = profiles.profile(name)
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    assert plan.name == data["name"]
    assert data["description"].endswith(".")
    assert data["sources"]
    assert all(len(source) > 20 for source in data["sources"])
    taken = [dscp for traffic in plan.classes for dscp in traffic.dscps]
    assert len(taken) == len(set(taken)), "a code point is in one class"
    for policy in plan.marking:
        assert policy.kmin_bytes is None or policy.kmin_bytes <= policy.kmax_bytes


def test_the_profiles_there_are() -> None:
    assert {
        "amd-pollara",
        "amd-rocm",
        "arista-ai",
        "broadcom-thor",
        "juniper-aidc",
        "lossless-unmarked",
        "nvidia-cumulus",
        "sonic-stock",
    } <= set(profiles.names())


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        (
            "amd-pollara",
            [("roce", Flow.DATA, (24,), 3, True), ("cnp", Flow.CNP, (46,), None, False)],
        ),
        (
            "amd-rocm",
            [("roce", Flow.DATA, (26,), 3, True), ("cnp", Flow.CNP, (48,), None, False)],
        ),
        ("arista-ai", [("roce", Flow.DATA, (24,), 3, True)]),
        (
            "broadcom-thor",
            [("roce", Flow.DATA, (26,), 3, True), ("cnp", Flow.CNP, (48,), None, False)],
        ),
        (
            "juniper-aidc",
            [("roce", Flow.DATA, (26,), 3, True), ("cnp", Flow.CNP, (48,), None, False)],
        ),
        (
            "nvidia-cumulus",
            [("roce", Flow.DATA, (26,), 3, True), ("cnp", Flow.CNP, (48,), None, False)],
        ),
        (
            "sonic-stock",
            [("roce3", Flow.DATA, (3,), 3, True), ("roce4", Flow.DATA, (4,), 4, True)],
        ),
        ("lossless-unmarked", []),
    ],
)
def test_the_classes_of_a_profile(name: str, classes: list[tuple[object, ...]]) -> None:
    assert spelled(profiles.profile(name)) == classes


def test_thresholds_are_bytes() -> None:
    (policy,) = profiles.profile("amd-rocm").marking
    assert (policy.speed_gbps, policy.kmin_bytes, policy.kmax_bytes, policy.pmax_percent) == (
        400,
        950_000,
        3_000_000,
        7,
    )


def test_an_unknown_profile_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"there is no profile 'cisco'; known are amd-pollara, "):
        profiles.profile("cisco")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "profile acme is broken: not valid TOML: Invalid value"),
        ("speed = 400\n", r"acme\.toml:1: profile acme is broken: unknown key speed"),
        (
            "[classes.a]\ndscp = [64]\n",
            r"acme\.toml:2: profile acme is broken: classes\.a\.dscp\[0\] ",
        ),
        ("[classes.a]\ndscp = []\n", r"profile acme is broken: classes\.a\.dscp must be a list"),
    ],
)
def test_a_broken_profile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "acme.toml").write_text(text)
    monkeypatch.setattr(profiles, "resource_dir", lambda _: tmp_path)
    with pytest.raises(UsageError, match=says):
        profiles.profile("acme")


def test_dscps_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "acme.toml").write_text('[classes.a]\ndscp = ["af31", 24]\n')
    monkeypatch.setattr(profiles, "resource_dir", lambda _: tmp_path)
    assert profiles.profile("acme").classes[0].dscps == (24, 26)
    assert profiles.profile("acme").name == "profile acme"


LEAF = """\
! device: leaf1 (DCS-7060X6-64PE, EOS-4.33.1F)
hostname leaf1
!
interface Ethernet1/1
   mtu 9214
   no switchport
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
qos map dscp {codes} to traffic-class {tc}
"""


def judged(folder: Path, profile: str | None, codes: str, tc: int) -> list[tuple[str, str]]:
    (folder / "leaf1.cfg").write_text(LEAF.format(codes=codes, tc=tc))
    request = Request(
        (str(folder),), jobs=1, cache=False, profile=profile, select=("MAP001", "CLS003")
    )
    return [(f.rule, f.message) for f in run(request, Settings()).findings]


def test_a_profile_brings_its_own_demands(tmp_path: Path) -> None:
    assert judged(tmp_path, None, "26", 4) == []
    found = judged(tmp_path, "juniper-aidc", "26", 4)
    assert [rule for rule, _ in found] == ["MAP001"]
    assert values(found[0][1]).startswith("leaf1 Ethernet1/1 26 4")


def test_unmarked_traffic_may_be_wanted_lossless(tmp_path: Path) -> None:
    assert [rule for rule, _ in judged(tmp_path, None, "0 26", 3)] == ["CLS003"]
    assert judged(tmp_path, "lossless-unmarked", "0 26", 3) == []


def test_a_site_brings_its_own_profiles(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "ours.toml").write_text(
        'name = "Ours"\n[classes.roce]\ndscp = [26]\npfc_priority = 3\nlossless = true\n'
    )
    (tmp_path / "leaf1.cfg").write_text(LEAF.format(codes="26", tc=4))
    (tmp_path / "roce-lint.toml").write_text('profile = "ours"\n[catalog]\nprofiles = ["site"]\n')
    settings = load(tmp_path / "roce-lint.toml")
    request = Request((str(tmp_path),), jobs=1, cache=False, select=("MAP001",))
    assert [(f.rule, f.location.line) for f in run(request, settings).findings] == [("MAP001", 11)]
