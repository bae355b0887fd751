"""Cost grows with size: ratios of processor time for every form and command."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import roce_lint
from roce_lint.cli.main import cli
from roce_lint.nos.registry import all_nos
from tests.conftest import Within
from tests.fuzz.bases import base_of
from tests.scaling import commands, measure, texts
from tests.scaling.__main__ import PAGE, command_rows, growth, rows
from tests.scaling.measure import FLOOR, LIMIT, TIMES, ratio
from tests.scaling.texts import SIZES, Files

TRIES = 4


@pytest.mark.deep
@pytest.mark.parametrize("make", SIZES, ids=lambda make: make.__name__)
def test_no_form_grows_faster_than_its_size(make: Callable[[int], Files]) -> None:
    assert any(ratio(make)[2] <= LIMIT for _ in range(TRIES))  # a stall of the machine is no growth


def test_every_system_is_among_them() -> None:
    read = {
        base.nos
        for make in SIZES
        for name, text in make(8).items()
        if (base := base_of(name.rsplit("/", 1)[-1], text)) is not None
    }
    late = {"aoscx", "comware", "esonic"}  # read by what others are read by
    assert read | late >= set(all_nos())


def test_the_measure_sees_a_square(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(n: int) -> Files:
        return dict.fromkeys(map(str, range(n)), "")

    def seconds(files: Files) -> float:
        return len(files) ** 2 * 1e-5

    monkeypatch.setattr(measure, "seconds", seconds)
    monkeypatch.setitem(SIZES, make, 200)
    assert ratio(make)[2] > LIMIT


COMMANDS: dict[str, Callable[[Path, Path], list[str]]] = {
    "show": lambda a, _: ["show", str(a)],
    "show --lines": lambda a, _: ["show", "--lines", str(a)],
    "show json": lambda a, _: ["show", "--format", "json", "-v", str(a)],
    "diff": lambda a, b: ["diff", str(a), str(b)],
    "whatif": lambda a, _: ["whatif", str(a), "--set", "leaf1:Ethernet1/1 mtu=1500"],
    "html": lambda a, _: ["check", "--format", "html", str(a)],
}


def _command(words: Callable[[Path, Path], list[str]], folder: Path, size: int) -> float:
    sides = []
    for side, mtu in (("a", "9214"), ("b", "9000")):
        place = folder / f"{side}{size}"
        place.mkdir(exist_ok=True)
        for name, text in texts.eos_ports(size).items():
            (place / name).write_text(text.replace("9214", mtu))
        sides.append(place)
    begin = time.process_time()
    done = CliRunner().invoke(cli, [*words(*sides), "--no-cache"], prog_name="roce-lint")
    assert done.exit_code in (0, 1, 3), done.output[-500:]
    return time.process_time() - begin


@pytest.mark.deep
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_grows_faster_than_its_input(name: str, tmp_path: Path) -> None:
    words, size = COMMANDS[name], 300
    _command(words, tmp_path, 2)
    for _ in range(TRIES):
        least = _command(words, tmp_path, 2)
        short = max(_command(words, tmp_path, size) - least, FLOOR)
        if _command(words, tmp_path, size * TIMES) - least <= LIMIT * short:
            return
    pytest.fail(f"{name} takes more than {LIMIT} times as long for {TIMES} times the ports")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fabrics")


@pytest.mark.deep
@pytest.mark.parametrize("name", commands.COMMANDS)
def test_no_command_grows_faster_than_the_fabric(name: str, folder: Path) -> None:
    assert any(growth(name, folder) <= LIMIT for _ in range(TRIES))


@pytest.mark.parametrize("times", [1, pytest.param(TIMES, marks=pytest.mark.deep)])
def test_what_is_fixed_grows_with_the_fabric(folder: Path, times: int) -> None:
    one = commands.fabric(folder, commands.LEAVES * times)
    said = commands.COMMANDS["fix"](one)
    assert commands.offered(said) == commands.LEAVES * times


def test_lists_of_ports_are_bounded_in_their_sum(tmp_path: Path, within: Within) -> None:
    lists = "".join(f"      swp1-{i}:\n        link: {{mtu: 9216}}\n" for i in range(2, 2000))
    head = "- set:\n    system:\n      hostname: leaf1\n    interface:\n"
    (tmp_path / "leaf1.yaml").write_text(head + lists)
    request = roce_lint.Request(paths=(str(tmp_path),), jobs=1, cache=False)
    with within(60):
        report = roce_lint.run(request, roce_lint.Settings())
    assert any("name more than 50000 interfaces" in f.message for f in report.findings)


def test_the_page_tells_what_is_measured() -> None:
    page = PAGE.read_text(encoding="utf-8")
    told = {tuple(cell.strip() for cell in row.strip("|").split("|"))[:2] for row in rows(page)}
    assert told == {(make.__name__.replace("_", " "), f"{size:,}") for make, size in SIZES.items()}
    asked = {row.strip("|").split("|")[0].strip() for row in command_rows(page)}
    assert asked == set(commands.COMMANDS)
