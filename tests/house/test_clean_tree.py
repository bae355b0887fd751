"""The project speaks of itself alone: no path of one machine, no host of a package registry."""

from __future__ import annotations

import re

from tests.house.listing import ROOT, project_files

# Written in pieces, so that this file is not its own finding.
FOREIGN = re.compile(
    "|".join(
        [
            r"(?<![\w.$}])/wor" + r"k/",
            r"/bas" + r"h_jobs\b",
            r"(?<![\w.])/(home|Users)/(?!cumulus|admin)\w+/",
            r"pypi\.o" + r"rg",
            r"pythonho" + r"sted",
            r"registry\.npm" + r"js",
            r"deb\.deb" + r"ian",
            r"crates\.i" + r"o\b",
        ]
    )
)


def foreign(data: bytes) -> list[str]:
    """Lines that name a place outside the project, each with its number."""
    text = data.decode("utf-8", "replace")
    return [
        f"{number}: {line.strip()[:120]}"
        for number, line in enumerate(text.split("\n"), 1)
        if FOREIGN.search(line)
    ]


def test_the_tree_names_no_machine_and_no_registry() -> None:
    files = project_files()
    assert "pyproject.toml" in files
    found = {name: lines for name in files if (lines := foreign((ROOT / name).read_bytes()))}
    assert found == {}


def test_a_foreign_place_is_noticed() -> None:
    text = "\n".join(
        [
            "cd /wor" + "k/main",
            "see https://pypi.o" + "rg/project/x",
            "open /home/jo" + "/x",
            "framework/ or network/x or ../wor" + "k/",
        ]
    )
    assert [line.split(":")[0] for line in foreign(text.encode())] == ["1", "2", "3"]
