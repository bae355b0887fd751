"""Files common to both sides are read once, and findings of one side do not reach the other."""

from __future__ import annotations

from pathlib import Path

from roce_lint.loading.load import load
from roce_lint.model.device import Role
from roce_lint.model.dump import dump
from roce_lint.pipeline.changes import parse_request
from roce_lint.pipeline.comparison import ComparisonOptions, compare
from roce_lint.pipeline.request import Request
from roce_lint.pipeline.runner import Run
from roce_lint.pipeline.whatif import what_if
from roce_lint.settings import Settings
from tests.conftest import ROOT
from tests.metamorphic.snapshot import sample

CLEAN = str(ROOT / "sample_configs" / "clean-fabric")


def written(folder: Path, **changed: tuple[str, str]) -> str:
    """The switches of the sample below a folder, in some of them a text replaced."""
    folder.mkdir()
    for name, text in sample("clean-fabric").items():
        if name.startswith("switches/"):
            stem = Path(name).stem
            old, new = changed.get(stem, ("", ""))
            assert old in text
            (folder / Path(name).name).write_text(text.replace(old, new, 1) if old else text)
    return str(folder)


def test_only_what_is_another_file_is_read_again(tmp_path: Path) -> None:
    sides = [written(tmp_path / "a"), written(tmp_path / "b", leaf2=("mtu 9216", "mtu 1500"))]
    first = load((sides[0],))
    second = load((sides[1],), beside=first)
    ports = [{d.hostname: d.interfaces for d in side.devices} for side in (first, second)]
    shared = {name for name in ports[0] if ports[0][name] is ports[1][name]}
    assert shared == ports[0].keys() - {"leaf2"}
    assert not {id(d) for d in first.devices} & {id(d) for d in second.devices}


def test_a_file_of_another_name_is_another_file(tmp_path: Path) -> None:
    """Findings name it."""
    sides = [Path(written(tmp_path / name)) for name in "ab"]
    (sides[1] / "leaf1.cfg").rename(sides[1] / "other.cfg")
    second = load((str(sides[1]),), beside=load((str(sides[0]),)))
    (leaf1,) = (device for device in second.devices if device.hostname == "leaf1")
    assert [ref.name for ref in leaf1.src.files] == ["other.cfg"]


def test_each_side_has_roles_of_its_own(tmp_path: Path) -> None:
    sides = [written(tmp_path / name) for name in "ab"]
    own = Settings(roles={"spine1": "superspine"})
    requests = tuple(Request(paths=(side,)) for side in sides)
    found = compare((requests[0], requests[1]), (Settings(), own), ComparisonOptions())
    roles = [side.fabric.devices["spine1"].role for side in (found.a, found.b)]
    assert roles[1] is Role.SUPERSPINE
    assert roles[0] is not Role.SUPERSPINE


def test_what_is_judged_stays_as_it_was_read() -> None:
    """After a what-if the model dumps to the same bytes, but for the place in the fabric."""
    read = {device.hostname: device for device in load((CLEAN,)).devices}
    wishes = [
        parse_request("leaf*:* ip_mtu=1500", ""),
        parse_request("leaf1:Ethernet1/1 tagged=yes", ""),
    ]
    found = what_if(Run(Request(paths=(CLEAN,)), Settings()), wishes, [])
    assert found.before.fabric is not None
    for name, device in found.before.fabric.devices.items():
        read[name].role, read[name].asic = device.role, device.asic
        assert str(dump(device)) == str(dump(read[name])), name


def test_lines_of_changes_stand_beside_those_of_files() -> None:
    """Text reread to show the first state is not reread for the second."""
    found = what_if(
        Run(Request(paths=(CLEAN.replace("clean", "broken"),)), Settings()),
        [parse_request("leaf1:* ip_mtu=1500", "")],
        [],
    )
    places = {
        place.file: place.text
        for finding in found.after.findings
        for occurrence in finding.occurrences
        for place in occurrence.locations
    }
    assert places["<what if>"] == "what if: leaf1:* ip_mtu=1500"
    assert any(name.endswith((".cfg", ".json")) and text for name, text in places.items())
