"""Designed fabrics of any size, and the commands whose growth is measured on them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.text.masking import mask_secrets
from tests.conftest import ROOT
from tests.scaling import texts

INTENT = ROOT / "sample_configs" / "intents" / "two-tiers.yaml"
LEAVES = 3
"""Leaves of the smaller fabric, each with eight hosts of two NICs."""


@dataclass(frozen=True)
class Fabric:
    """One fabric in all forms in which commands take one."""

    intent: Path
    configs: Path
    broken: Path  # one wrong line on every leaf
    inventory: Path
    pulled: str  # what a device says, before it is kept


@cache
def fabric(folder: Path, leaves: int) -> Fabric:
    """Write the fabric; a folder of its own for each size."""
    here = folder / str(leaves)
    here.mkdir()
    intent = here / "intent.yaml"
    intent.write_text(json.dumps(_wanted(leaves)))
    configs, broken = here / "configs", here / "broken"
    for made in (configs, broken):
        invoke("generate", str(intent), "-o", str(made))
    for number, path in enumerate(sorted(broken.rglob("leaf*.cfg"))):
        old, new = (
            ("   mtu 9214\n", "   mtu 1500\n"),
            ("priority 3 no-drop", "priority 4 no-drop"),
        )[number % 2]
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
    inventory = here / "inventory.csv"
    rows = "".join(
        f"leaf{n},10.{n // 62500}.{n // 250 % 250}.{n % 250},22,audit,eos\n"
        for n in range(leaves * 2000)
    )
    inventory.write_text(f"name,host,port,user,nos\n{rows}")
    said = texts.eos_ports(leaves * 2000)["leaf1.cfg"]
    lines = "".join(f"username u{n} secret sha512 $6$salt$hash{n}\n" for n in range(leaves * 500))
    return Fabric(intent, configs, broken, inventory, said + lines)


def _wanted(leaves: int) -> dict[str, object]:
    """The intent of the sample with so many leaves; its address blocks are made large enough."""
    wanted = yaml.safe_load(INTENT.read_text())
    wanted["fabric"]["leaf"] |= {"count": leaves, "links": 2}
    wanted["hosts"]["gpu"] |= {"count": leaves * 8}
    wanted["addressing"] |= {"links": "10.0.0.0/18", "hosts": "10.64.0.0/12"}
    return dict(wanted)


def invoke(*words: str) -> str:
    """Output of a command; it may find faults, but must not crash."""
    done = CliRunner().invoke(cli, words, prog_name="roce-lint")
    assert done.exit_code in (0, 1, 3), done.output[-500:]
    return done.output


def _fixed(one: Fabric) -> str:
    return invoke("fix", str(one.broken), "--diff", "--disruptive", "--no-cache")


def _generated(one: Fabric) -> str:
    target = one.intent.parent / f"out-{time.monotonic_ns()}"
    return invoke("generate", str(one.intent), "-o", str(target))


COMMANDS: dict[str, Callable[[Fabric], str]] = {
    "fix": _fixed,
    "generate": _generated,
    "intent": lambda one: invoke("intent", str(one.intent)),
    "intent --from": lambda one: invoke("intent", "--from", str(one.configs)),
    "inventory": lambda one: invoke("inventory", str(one.inventory)),
    "trace": lambda one: invoke(
        "trace", "--from", "gpu01", "--to", "gpu09", str(one.configs), "--no-cache"
    ),
    "pull (masking)": lambda one: mask_secrets(one.pulled),
}


def seconds(name: str, one: Fabric) -> float:
    """Processor time of a command on a fabric."""
    begin = time.process_time()
    assert COMMANDS[name](one)
    return time.process_time() - begin


def offered(said: str) -> int:
    """Number of corrections that `fix` found."""
    found = re.search(r"^(\d+) fix(?:es)? verified", said, re.MULTILINE)
    return int(found[1]) if found else 0
