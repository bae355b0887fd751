"""The commands for developers: `python -m roce_lint.dev rules` writes the rule reference."""

from __future__ import annotations

import argparse
from pathlib import Path

from roce_lint.dev.reference import write


def main() -> None:
    """Do what the command line asks, in the checkout around this package."""
    parser = argparse.ArgumentParser(prog="python -m roce_lint.dev", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("rules", help="write docs/rules, rules/README.md and the table of README")
    parser.parse_args()
    for name in write(Path(__file__).resolve().parents[2]):
        print(name)


if __name__ == "__main__":
    main()
