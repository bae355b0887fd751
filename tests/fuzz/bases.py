"""Inputs of mutation: captures of the tests and the samples, each with its form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.loading.identify import identify
from roce_lint.nos.declare import Form
from roce_lint.nos.registry import all_nos

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("tests/nos", "sample_configs")
NO_CAPTURES = ("model.json", "states.txt", "citations.txt", "links.yaml", "README.md")
LARGEST = 24 << 10
"""Bytes: the more a file holds, the fewer mutants a minute."""


MADE = {
    "netplan.yaml": """network:
  version: 2
  ethernets:
    ens1f0np0: {mtu: 9000, addresses: [10.0.0.1/31]}
  vlans:
    vlan100:
      id: 100
      link: ens1f0np0
      mtu: 9000
""",
    "job.yaml": """apiVersion: v1
kind: Pod
metadata:
  name: train
spec:
  containers:
  - name: main
    env:
    - {name: NCCL_IB_TC, value: "106"}
    - {name: NCCL_IB_HCA, value: mlx5_0}
""",
}
"""Forms of which there is no capture of its own."""


@dataclass(frozen=True)
class Base:
    """One capture."""

    name: str  # its file name, by which some forms are known
    nos: str
    form: Form
    text: str


@cache
def bases() -> tuple[Base, ...]:
    """All captures, in the order of their paths; pasted pieces (typical.txt) one by one."""
    found = [base for name, text in MADE.items() if (base := base_of(name, text)) is not None]
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*")):
            if path.is_file() and path.suffix != ".py" and path.name not in NO_CAPTURES:
                found += _of(path)
    return tuple(found)


def _of(path: Path) -> list[Base]:
    if path.stat().st_size > LARGEST:
        return []
    text = path.read_bytes().decode("utf-8", "replace")
    pieces = text.split("\n----\n") if path.name == "typical.txt" else [text]
    return [base for piece in pieces if (base := base_of(path.name, piece)) is not None]


@cache
def base_at(path: Path) -> Base | None:
    """A file of a fabric; None where it is no capture (links, intent)."""
    return base_of(path.name, path.read_bytes().decode("utf-8", "replace"))


def base_of(name: str, text: str) -> Base | None:
    """A text with the form that it is read in; None where it is no capture."""
    try:
        identity = identify(name, text)
    except (UnknownFormat, AmbiguousFormat):
        return None
    sources = {source.name: source for source in all_nos()[identity.nos].sources}
    return Base(name, identity.nos, sources[identity.source].form, text)


@cache
def fabrics() -> tuple[tuple[Path, ...], ...]:
    """The files of whole small fabrics, with links between their devices."""
    folders = sorted(path.parent for path in (ROOT / "tests/fabrics").glob("*/fabric/links.yaml"))
    return tuple(
        tuple(sorted(path for path in folder.rglob("*") if path.is_file())) for folder in folders
    )


@cache
def forms() -> dict[Form, tuple[Base, ...]]:
    """The captures by form, so that none is rare because it has few."""
    by_form: dict[Form, list[Base]] = {}
    for base in bases():
        by_form.setdefault(base.form, []).append(base)
    return {form: tuple(found) for form, found in by_form.items()}
