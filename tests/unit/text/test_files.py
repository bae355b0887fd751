"""Written files are either old or new, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from roce_lint.errors import WriteError
from roce_lint.text import files
from roce_lint.text.files import write_file
from tests.conftest import ROOT


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    """Limits the files of this process to a number of bytes within the block."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "--no-cache", "-j", "1"], prog_name="roce-lint")


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.write_bytes(b"")
    write_file(tmp_path / "new", b"text")
    assert (tmp_path / "new").read_bytes() == b"text"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


def test_an_old_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_file(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)
    assert names(tmp_path) == ["old"]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    (tmp_path / "report").symlink_to(precious)
    write_file(tmp_path / "report", b"new")
    assert precious.read_bytes() == b"precious"
    assert (tmp_path / "report").read_bytes() == b"new"
    assert not (tmp_path / "report").is_symlink()


def test_what_is_no_file_is_written_to() -> None:
    write_file(Path(os.devnull), b"gone")
    with pytest.raises(WriteError, match="/dev/full: cannot be written: No space left"):
        write_file(Path("/dev/full"), b"text")


def test_where_nothing_can_be_written_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(WriteError, match=r"old: cannot be written: No space left on device"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["old"]


CALLS = {
    "begin": (files.tempfile, "mkstemp"),
    "write": (files.os, "fdopen"),
    "flush": (files.os, "fsync"),
    "mode": (Path, "chmod"),
    "move": (Path, "replace"),
}


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("call", CALLS)
def test_whichever_call_fails_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    """A full disk, an exhausted quota, a read-only place: no temporary file is left either."""
    path = tmp_path / "old"
    path.write_bytes(b"old")
    real = os.fdopen

    def fails(*args: object, **_given: object) -> object:
        if call == "write":  # what is begun is written in part
            os.write(int(str(args[0])), b"ne")
            real(int(str(args[0])), "wb").close()
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(*CALLS[call], fails)
    with pytest.raises(WriteError, match=re.escape(os.strerror(code))):
        write_file(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["old"]


@pytest.mark.parametrize(
    ("words", "written"),
    [
        (["check", "FABRIC", "-q", "--output", "html=DIR/out.html"], "out.html"),
        (["check", "FABRIC", "-q", "--output", "sarif=DIR/out.sarif"], "out.sarif"),
        (["check", "FABRIC", "-q", "--output", "junit=DIR/out.xml"], "out.xml"),
        (["init", "DIR", "--force"], "links.yaml"),
    ],
)
def test_every_command_that_writes_keeps_what_was_there(
    tmp_path: Path, words: list[str], written: str
) -> None:
    """Without any room, the old file is unchanged to the byte, and the run reports it."""
    fabric = ROOT / "sample_configs/clean-fabric"
    if words[0] == "init":
        shutil.copytree(fabric, tmp_path, dirs_exist_ok=True)
    old = tmp_path / written
    old.write_bytes(b"- {a: 'leaf1:Ethernet1/1', b: 'spine1:Ethernet1/1'}\n" * 3)
    if written == "links.yaml":
        old.write_bytes(b"[]\n")
    before, whole = sorted(names(tmp_path)), old.read_bytes()
    given = [word.replace("FABRIC", str(fabric)).replace("DIR", str(tmp_path)) for word in words]
    with longest_file(0):
        done = run(*given)
    assert done.exit_code == 3, done.stderr
    assert "cannot be written: File too large" in done.stderr
    assert old.read_bytes() == whole
    assert sorted(names(tmp_path)) == before


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be written: No such file"):
        write_file(tmp_path / "gone" / "x", b"text")


def test_a_baseline_is_whole_where_the_quota_is_used_up(tmp_path: Path) -> None:
    """The baseline of a whole run: the old file is unchanged to the byte, and the run reports it."""
    base, fabric = tmp_path / "base.json", str(ROOT / "sample_configs/broken-fabric")
    words = ("check", fabric, "-q", "--write-baseline", str(base))
    run(*words)
    whole = base.read_bytes()
    assert len(whole) > 4096
    with longest_file(2048):
        done = run(*words)
    assert done.exit_code == 1
    assert "base.json: cannot be written: File too large" in done.stderr
    assert base.read_bytes() == whole
    assert names(tmp_path) == ["base.json"]
