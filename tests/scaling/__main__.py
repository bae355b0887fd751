"""`python -m tests.scaling` updates the growth table of docs/reliability.md."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.scaling import commands
from tests.scaling.measure import FLOOR, LIMIT, TIMES, ratio
from tests.scaling.texts import SIZES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- growth -->\n", "<!-- end of growth -->\n"
HEAD = "| text | size | times as long for four times the size |\n| --- | --- | --- |\n"


COMMANDS_BEGIN, COMMANDS_END = "<!-- growth of commands -->\n", "<!-- end of commands -->\n"
COMMANDS_HEAD = "| command | times as long for four times the fabric |\n| --- | --- |\n"


def rows(page: str) -> list[str]:
    """The rows of the table of texts on the page."""
    table = page.split(BEGIN)[1].split(END, maxsplit=1)[0]
    return table.removeprefix(HEAD).splitlines()


def command_rows(page: str) -> list[str]:
    """The rows of the table of commands on the page."""
    table = page.split(COMMANDS_BEGIN)[1].split(COMMANDS_END, maxsplit=1)[0]
    return table.removeprefix(COMMANDS_HEAD).splitlines()


def growth(name: str, folder: Path) -> float:
    """Factor of a command's time on a fabric of a multiple of the size."""
    few, many = (commands.fabric(folder, commands.LEAVES * times) for times in (1, TIMES))
    commands.seconds(name, few)
    short, long = (min(commands.seconds(name, one) for _ in range(2)) for one in (few, many))
    return long / max(short, FLOOR)


def main() -> int:
    """Measure all, and write the table."""
    made = []
    for make, size in SIZES.items():
        measured = ratio(make)[2]
        for _ in range(3):  # a stall of the machine is no growth
            measured = measured if measured <= LIMIT else min(measured, ratio(make)[2])
        made.append(f"| {make.__name__.replace('_', ' ')} | {size:,} | {measured:.1f} |\n")
    page = PAGE.read_text(encoding="utf-8")
    page = _with(page, BEGIN, HEAD + "".join(made), END)
    with tempfile.TemporaryDirectory() as folder:
        asked = "".join(
            f"| {name} | {growth(name, Path(folder)):.1f} |\n" for name in commands.COMMANDS
        )
    page = _with(page, COMMANDS_BEGIN, COMMANDS_HEAD + asked, COMMANDS_END)
    PAGE.write_text(page, encoding="utf-8")
    return 0


def _with(page: str, begin: str, table: str, end: str) -> str:
    """The page with a table between its marks."""
    before, rest = page.split(begin)
    return before + begin + table + end + rest.split(end)[1]


if __name__ == "__main__":
    sys.exit(main())
