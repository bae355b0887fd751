from __future__ import annotations

import os
from pathlib import Path

import pytest

from roce_lint.errors import UsageError
from roce_lint.loading.discover import Discovery, device_folder, discover, read_file
from tests.unit.loading.making import put


def found(*paths: Path | str, stdin: str | None = None) -> Discovery:
    return discover(tuple(map(str, paths)), stdin)


def names(discovery: Discovery) -> list[str]:
    return [file.name for file in discovery.files]


def remarks(discovery: Discovery) -> list[tuple[str, str, bool]]:
    return [(d.file, d.message, d.incomplete) for d in discovery.diagnostics]


def test_files_come_in_a_stable_order_outer_folders_first(tmp_path: Path) -> None:
    put(tmp_path, dict.fromkeys(["b/z.cfg", "b/a.cfg", "c.cfg", "a/x/y.cfg", "a/w.cfg"], "x"))
    assert names(found(tmp_path)) == ["c.cfg", "a/w.cfg", "a/x/y.cfg", "b/a.cfg", "b/z.cfg"]


def test_documents_are_counted_and_hidden_files_are_not_there(tmp_path: Path) -> None:
    put(tmp_path, dict.fromkeys(["README.md", "a.PNG", "run.py", ".git/config", ".x.cfg"], "x"))
    discovery = found(tmp_path)
    assert (discovery.files, len(discovery.skipped)) == ([], 3)


def test_a_document_that_is_named_is_looked_at(tmp_path: Path) -> None:
    put(tmp_path, {"README.md": "x"})
    (file,) = found(tmp_path / "README.md").files
    assert (file.name, file.named) == ("README.md", True)


BACKUPS = ["leaf1.cfg.orig", "leaf1.cfg.BAK", "leaf1.cfg.rej", "leaf1.cfg.swp", "leaf1.cfg~"]


def test_what_an_editor_left_is_named_and_never_read(tmp_path: Path) -> None:
    put(tmp_path, dict.fromkeys([*BACKUPS, "links.yaml~"], "x"))
    discovery = found(tmp_path)
    assert (discovery.files, discovery.control) == ([], {})
    assert [each.file for each in discovery.skipped] == sorted([*BACKUPS, "links.yaml~"])
    named = found(tmp_path / BACKUPS[0])
    assert (named.files, [d.incomplete for d in named.diagnostics]) == ([], [True])


def test_names_are_relative_to_the_common_parent(tmp_path: Path) -> None:
    put(tmp_path, dict.fromkeys(["one/a.cfg", "two/b.cfg", "c.cfg"], "x"))
    discovery = found(tmp_path / "one", tmp_path / "two", tmp_path / "c.cfg")
    assert names(discovery) == ["one/a.cfg", "two/b.cfg", "c.cfg"]
    assert (discovery.base, discovery.base_name) == (str(tmp_path), tmp_path.name)


def test_a_relative_path_stays_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {"lab/a.cfg": "x"})
    monkeypatch.chdir(tmp_path)
    discovery = found("lab")
    (file,) = discovery.files
    assert (file.name, file.path, discovery.base, discovery.base_name) == (
        "a.cfg", "lab/a.cfg", "lab", "lab",
    )  # fmt: skip


@pytest.mark.parametrize("again", ["", "a.cfg", "../lab", "sub/.."])
def test_what_is_named_twice_is_found_once(tmp_path: Path, again: str) -> None:
    folder = put(tmp_path / "lab", {"a.cfg": "x", "sub/b.cfg": "y"})
    assert len(found(folder, folder / again).files) == 2


def test_no_such_path_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no such file or folder: .*gone"):
        found(tmp_path / "gone")


def test_a_pipe_or_device_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert names(found(tmp_path)) == []
    discovery = found(tmp_path / "pipe")
    assert remarks(discovery) == [
        ("pipe", 'is neither a file nor a folder; "-" reads standard input', True)
    ]
    assert remarks(found("/dev/null"))[0][1].startswith("is neither")


def test_a_file_that_becomes_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.cfg")
    with pytest.raises(OSError, match="is not a regular file"):
        read_file(str(tmp_path / "a.cfg"), 100, 10)


def test_links_are_followed_to_files_inside_only(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside", {"secret.cfg": "x"})
    folder = put(tmp_path / "in", {"a/leaf1.cfg": "x", ".data/leaf2.cfg": "y"})
    os.mkfifo(folder / ".pipe")
    for name, target in {
        "same.cfg": "a/leaf1.cfg",  # found by itself
        "leaf2.cfg": ".data/leaf2.cfg",  # as mounted volumes do
        "out.cfg": str(outside / "secret.cfg"),
        "up": "..",
        "a/loop": ".",
        "gone.cfg": "nowhere",
        "me": "me",
        "pipe": ".pipe",
    }.items():
        (folder / name).symlink_to(target)
    discovery = found(folder)
    assert names(discovery) == ["a/leaf1.cfg", "leaf2.cfg"]
    assert sorted(remarks(discovery)) == [
        ("a/loop", "symbolic link to a folder; not followed", False),
        ("gone.cfg", "symbolic link that cannot be followed: No such file or directory", False),
        ("me", "symbolic link that cannot be followed: Too many levels of symbolic links", False),
        ("out.cfg", "symbolic link that leads out of the folder; not followed", False),
        ("pipe", "symbolic link to something other than a file; not followed", False),
        ("up", "symbolic link that leads out of the folder; not followed", False),
    ]


def test_a_path_that_is_a_link_is_followed(tmp_path: Path) -> None:
    put(tmp_path / "real", {"a.cfg": "x"})
    (tmp_path / "link").symlink_to("real")
    assert names(found(tmp_path / "link")) == ["a.cfg"]


def test_an_unreadable_folder_is_told_and_the_rest_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"a/x.cfg": "x", "b/y.cfg": "y"})
    scandir = os.scandir

    def locked(folder: str) -> object:
        if str(folder).endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", locked)
    discovery = found(tmp_path)
    assert names(discovery) == ["b/y.cfg"]
    assert remarks(discovery) == [("a", "Permission denied", True)]


def test_odd_names_are_shown_and_still_open(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"leaf\n\xff\x1b.cfg")).write_bytes(b"x")
    (file,) = found(tmp_path).files
    assert file.name == "leaf\\n\\xff\\x1b.cfg"
    assert read_file(file.path or "", 100, 10) == (b"x", True)


def test_steering_files_are_kept_apart(tmp_path: Path) -> None:
    put(tmp_path, dict.fromkeys(["links.yaml", "roce-lint.toml", "Intent.yml"], "x"))
    discovery = found(tmp_path)
    assert discovery.files == []
    assert discovery.control == {
        "links.yaml": tmp_path / "links.yaml",
        "roce-lint.toml": tmp_path / "roce-lint.toml",
        "intent.yml": tmp_path / "Intent.yml",
    }


def test_a_cable_plan_that_is_named_is_the_cable_plan(tmp_path: Path) -> None:
    put(tmp_path, {"links.csv": "x", "a.cfg": "y"})
    discovery = found(tmp_path / "links.csv", tmp_path / "a.cfg")
    assert (names(discovery), list(discovery.control)) == (["a.cfg"], ["links.csv"])


def test_one_cable_plan_counts_and_the_others_are_told(tmp_path: Path) -> None:
    put(tmp_path, dict.fromkeys(["links.csv", "a/links.yaml", "b/links.csv"], "x"))
    discovery = found(tmp_path)
    assert discovery.control == {"links.csv": tmp_path / "links.csv"}
    message = "not used, since links.csv is the cable plan; use --links for another"
    assert remarks(discovery) == [
        ("a/links.yaml", message, False),
        ("b/links.csv", message, False),
    ]


def test_standard_input_is_a_named_file() -> None:
    (file,) = found("-", "-", stdin="hostname leaf1\n\udcff").files
    assert (file.name, file.named, file.data) == ("<stdin>", True, b"hostname leaf1\n\xff")


@pytest.mark.parametrize(
    ("size", "limit", "read"),
    [(5, 5, (b"abcab", True)), (6, 5, (b"ab", False)), (0, 5, (b"", True))],
)
def test_above_the_limit_only_the_head_is_read(
    tmp_path: Path, size: int, limit: int, read: tuple[bytes, bool]
) -> None:
    (tmp_path / "a").write_bytes((b"abc" * 3)[:size])
    assert read_file(str(tmp_path / "a"), limit, 2) == read


def test_of_noise_only_the_beginning_is_read(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(bytes(1 << 20))
    data, whole = read_file(str(tmp_path / "core"), 1 << 21, 100)
    assert (len(data), whole) == (8192, True)


def test_a_file_without_a_size_is_read_to_its_end() -> None:
    data, whole = read_file("/proc/self/status", 1 << 20, 10)
    assert data.startswith(b"Name:")
    assert data.endswith(b"\n")
    assert whole


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("leaf1", "leaf1"),
        ("snap/leaf1", "leaf1"),
        ("old/snap.tar.gz", "snap"),
        ("snap.tgz!hosts/gpu-017", "gpu-017"),
        ("snap.zip!gpu-017", "gpu-017"),
        (".zip", ".zip"),
    ],
)
def test_the_name_a_folder_gives(folder: str, name: str) -> None:
    assert device_folder(folder) == name
