"""Output of `fix` and `generate` with little space, or with a trap in the way."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import Ended, ended
from tests.conftest import ROOT
from tests.hostile.places import BROKEN, another_user, bound_by_permissions, disk

LEAF = BROKEN / "switches" / "leaf2.cfg"
FIX = ("--disruptive", "--select", "MTU001", "--no-cache")
INTENT = ROOT / "sample_configs" / "intents" / "two-tiers.yaml"
KIB = 1 << 10


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with disk(tmp_path / "disk") as place:
        yield place


@pytest.fixture
def configs(tmp_path: Path) -> Path:
    folder = tmp_path / "configs"
    folder.mkdir()
    (folder / "leaf2.cfg").write_bytes(LEAF.read_bytes())
    return folder


def listed(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_full_disk_keeps_the_configuration(small_disk: Path) -> None:
    (small_disk / "leaf2.cfg").write_bytes(LEAF.read_bytes())
    free = 64 * KIB - sum(-(-path.stat().st_size // 4096) * 4096 for path in small_disk.iterdir())
    (small_disk / "fill.bin").write_bytes(bytes(free - 4096))
    done = ended("fix", small_disk, "--write", *FIX)
    assert done.returncode == 3
    assert "cannot be written: No space left on device" in done.stderr
    assert (small_disk / "leaf2.cfg").read_bytes() == LEAF.read_bytes()
    assert listed(small_disk) == ["fill.bin", "leaf2.cfg"]


def test_corrected_files_on_a_full_disk_leave_nothing(small_disk: Path, configs: Path) -> None:
    (small_disk / "fill").write_bytes(bytes(60 * KIB))
    done = ended("fix", configs, "-o", small_disk / "out", *FIX)
    assert done.returncode == 3
    assert "cannot be written: No space left on device" in done.stderr
    assert listed(small_disk) == ["fill"]


def test_a_fabric_on_a_full_disk_leaves_nothing(small_disk: Path) -> None:
    done = ended("generate", INTENT, "-o", small_disk / "out")
    assert done.returncode == 3
    assert "No space left on device" in done.stderr
    assert listed(small_disk) == []


def test_a_folder_that_may_not_be_written_to(configs: Path) -> None:
    configs.chmod(0o555)
    try:
        done = ended("fix", configs, "--write", *FIX, confined=bound_by_permissions)
        assert done.returncode == 3
        assert "cannot be written: Permission denied" in done.stderr
        for words in (["fix", configs, *FIX], ["generate", INTENT]):
            done = ended(*words, "-o", configs / "out", confined=bound_by_permissions)
            assert done.returncode in (2, 3)
            assert done.stderr
    finally:
        configs.chmod(0o755)
    assert listed(configs) == ["leaf2.cfg"]
    assert (configs / "leaf2.cfg").read_bytes() == LEAF.read_bytes()


def test_no_link_is_followed_out_of_the_tree(tmp_path: Path, configs: Path) -> None:
    outside = tmp_path / "outside.cfg"
    outside.write_bytes(LEAF.read_bytes())
    (configs / "leaf2.cfg").unlink()
    (configs / "leaf2.cfg").symlink_to(outside)
    ended("fix", configs, "--write", *FIX)
    assert outside.read_bytes() == LEAF.read_bytes()


def test_a_backup_takes_nobody_else_s_place(tmp_path: Path, configs: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"kept")
    (configs / "leaf2.cfg.orig").symlink_to(kept)
    ended("fix", configs, "--write", *FIX)
    assert kept.read_bytes() == b"kept"


@pytest.mark.parametrize("command", ["fix", "generate"])
def test_a_link_in_the_place_of_the_folder(tmp_path: Path, configs: Path, command: str) -> None:
    outside, link = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    link.symlink_to(outside)
    words = [command, configs, *FIX] if command == "fix" else [command, INTENT]
    done = ended(*words, "-o", link)
    assert listed(outside) == [] or done.returncode in (0, 1)
    ended(*words, "-o", configs / "relative/../../escape")
    assert not (tmp_path / "escape").exists()


# ------------------------------------------------------------------------- another user of a machine


def as_other(*words: str | Path, **environment: str) -> Ended:
    """A run of a user that owns nothing here."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    rules = ROOT / "rules"
    if not all(place.stat().st_mode & stat.S_IXOTH for place in (rules, *rules.parents)):
        pytest.skip("another user may not read the checkout")
    return ended(*words, cwd=Path("/"), confined=another_user, **environment)


@pytest.fixture
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that everybody may read, as /srv is; those of pytest are their user's alone."""
    import tempfile  # noqa: PLC0415

    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    shutil.copytree(BROKEN, place / "configs")
    yield place
    shutil.rmtree(place)


def test_what_another_user_owns_is_read_and_not_written(shared: Path) -> None:
    ours = ended("check", shared / "configs", "--no-cache", "--format", "json", cwd=shared)
    theirs = as_other("check", shared / "configs", "--format", "json", XDG_CACHE_HOME=str(shared))
    assert theirs.returncode == ours.returncode == 1
    assert [item["rule"] for item in _findings(theirs)] == [
        item["rule"] for item in _findings(ours)
    ]
    assert listed(shared) == sorted(
        ["configs", *(f"configs/{name}" for name in listed(shared / "configs"))]
    )
    before = {path: path.read_bytes() for path in shared.rglob("*.cfg")}
    done = as_other("fix", shared / "configs", "--write", *FIX)
    assert done.returncode == 3
    assert "cannot be written: Permission denied" in done.stderr
    assert {path: path.read_bytes() for path in shared.rglob("*.cfg")} == before


def test_a_cache_of_another_user_is_not_believed(shared: Path) -> None:
    cache = shared / "cache"
    ended("check", shared / "configs", XDG_CACHE_HOME=str(cache))
    for path in (cache, *cache.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    kept = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    assert kept
    done = as_other("check", shared / "configs", "--format", "json", XDG_CACHE_HOME=str(cache))
    assert done.returncode == 1
    assert {path: path.read_bytes() for path in kept} == kept


def _findings(done: Ended) -> list[dict[str, str]]:
    import json  # noqa: PLC0415

    found: list[dict[str, str]] = json.loads(done.stdout)["findings"]
    return found
