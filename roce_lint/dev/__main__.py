"""Developer commands: update generated files, scaffold a NOS or rule, audit dependencies."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from roce_lint.dev.nos_pages import generate_files, pages, update
from roce_lint.dev.scaffold import new_nos, new_rule
from roce_lint.errors import RoceLintError


def main(arguments: list[str] | None = None, root: Path | None = None) -> int:
    """Run a command line, in `root` or the checkout around this package."""
    given = _parser().parse_args(arguments)
    root = root or Path(__file__).resolve().parents[2]
    try:
        if given.command in ("sbom", "audit"):
            return _supply(given, root)
        made = _make(given, root)
    except RoceLintError as error:
        print(error.message, file=sys.stderr)
        return 2
    for name in made:
        print(name)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m roce_lint.dev", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("rules", help="write rules/README.md from the pages")
    commands.add_parser("nos", help="update the pages of docs/nos")
    nos = commands.add_parser("new-nos", help="scaffold a new NOS")
    nos.add_argument("name", help="its short name: os10")
    nos.add_argument("--title", help="its full name: Dell SmartFabric OS10")
    nos.add_argument("--sign", help="beginning of a line that only this NOS prints")
    site = commands.add_parser("site", help="write the sources of the documentation site")
    site.add_argument("folder", help="folder that is replaced: build/site")
    commands.add_parser("sbom", help="print the bill of materials (CycloneDX) of the lock file")
    audit = commands.add_parser("audit", help="find known vulnerabilities in the pinned packages")
    audit.add_argument("--advisories", help="folder of OSV entries; without it nothing is checked")
    rule = commands.add_parser("new-rule", help="scaffold a new rule: page and check")
    rule.add_argument("id", help="three letters of its family and a free number: MTU008")
    rule.add_argument("name", help="the fault, in words joined by hyphens: mtu-too-odd")
    return parser


def _make(given: argparse.Namespace, root: Path) -> list[str]:
    if given.command == "new-nos":
        return new_nos(root, given.name, given.title, given.sign)
    if given.command == "new-rule":
        made = new_rule(root, given.id, given.name)
        return [*made, *update(root, generate_files(root))]
    if given.command == "nos":
        return update(root, pages(root))
    if given.command == "site":
        from roce_lint.dev.site import write_site  # noqa: PLC0415  (the whole command line)

        return [str(write_site(root, Path(given.folder).resolve()))]
    return update(root, generate_files(root))


def _supply(given: argparse.Namespace, root: Path) -> int:
    """The bill of materials, or known vulnerabilities of its parts: 1 if there are any."""
    from roce_lint.dev import supply  # noqa: PLC0415  (its dependencies are not part of the wheel)

    pinned = supply.pins((root / supply.LOCK).read_text(encoding="utf-8"))
    if given.command == "sbom":
        print(supply.bill(pinned), end="")
        return 0
    if not given.advisories or not Path(given.advisories).is_dir():
        print("skipped: no folder of advisories (OSV entries)")
        return 0
    faults = list(supply.advisories_for(pinned, Path(given.advisories)))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} known vulnerabilities in {len(pinned)} pinned distributions")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
