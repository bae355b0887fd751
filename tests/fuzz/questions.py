"""Further commands run on a mutated folder, chosen by the number of the case."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from roce_lint.analysis.paths import Paths
from roce_lint.nos.declare import Form
from tests.conftest import ROOT
from tests.fuzz.mutate import mutate

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

CHANGES = (
    "*:* ip_mtu=1500", "leaf*:* speed=800G", "*:* qos.pfc.generate=4", "*:* trust=dscp", "*:* cable=9999999",
    "*:* fec=rs", "*:* description=password x", "* role=spine", "*:* qos.pfc=unset", "*", "*:*=", "\ud800:* mtu=9",
    "*:* lanes=99999999999999999999999", "*:* qos.egress[3].kmax=1e309", "*:* speed=nan",
)  # fmt: skip
PLAIN = (
    ("show",), ("show", "-v", "--lines"), ("show", "--format", "json", "-v", "--lines"),
    ("check", "--format", "json", "--isolated"),
    ("check", "-v", "--show-unknown", "--strict", "--group-by", "device"),
    ("check", "--format", "html", "--require", "ready"),
)  # fmt: skip
COMPARED = ("text", "json", "markdown")
NAMED = (
    "trace",
    "show --port",
    "whatif",
    "diff",
    "diff --findings",
    "fix",
    "new-leaf",
    "intent --from",
    "generate",
)
LARGE = 12
"""Files of a folder that corrections are looked for in: each way is proved on the whole of it."""


@dataclass(frozen=True)
class Made:
    """A folder of mutated files, and one to compare it with."""

    folder: Path
    other: Path
    files: int
    refusable: bool = False  # a cable plan or an intent was mutated, too


def question(number: int, made: Made, report: Report) -> list[str]:  # noqa: PLR0911
    """The command line of a case; names are those of what was read."""
    random = Random(-1 - number)
    here, asked = str(made.folder), random.randrange(len(PLAIN) + 2 * len(NAMED))
    if asked < len(PLAIN):
        return [*PLAIN[asked], here]
    name = NAMED[asked % len(NAMED)]
    form = ["--format", random.choice(COMPARED[: 3 if name.startswith("diff") else 2])]
    if name == "trace":
        return ["trace", *form, *_ends(random, report), here]
    if name == "show --port":
        device, _, port = _port(random, report).partition(":")
        return ["show", *form, "--port", port, "--device", device, here]
    if name == "whatif":
        return ["whatif", *form, *_changes(random, report), here]
    if name == "fix":
        more = random.choice(([], ["--disruptive"], ["-o", str(made.folder.parent / "fixed")]))
        return ["fix", *more, str(_small(made))]
    if name == "new-leaf":
        like, out = _port(random, report).partition(":")[0], str(made.folder.parent / "leaf")
        number = str(random.randrange(99))
        return ["new-leaf", here, "--name", f"new{number}", "--like", like, "-o", out]
    if name == "intent --from":
        return ["intent", "--from", here]
    if name == "generate":
        return ["generate", str(_intent(random, made)), "-o", str(made.folder.parent / "golden")]
    return [*name.split(), *form, *random.choice(([], ["-v", "--stated"])), str(made.other), here]


def _small(made: Made) -> Path:
    """The folder, or one below it where it is large."""
    if sum(path.is_file() for path in made.folder.rglob("*")) <= LARGE:
        return made.folder
    return min(
        (path for path in made.folder.iterdir() if path.is_dir()),
        key=lambda path: (len(list(path.iterdir())), path.name),
        default=made.folder,
    )


def _intent(random: Random, made: Made) -> Path:
    """An intent of the samples with something in it changed."""
    base = random.choice(sorted((ROOT / "sample_configs" / "intents").glob("*.yaml")))
    file = made.folder.parent / "intent.yaml"
    file.write_bytes(mutate(random, base.read_text(encoding="utf-8"), Form.YAML))
    return file


def _ends(random: Random, report: Report) -> list[str]:
    """A NIC and another, by host and name; the host alone; or a host that is not there."""
    ends = Paths(report.analysis).ends if report.analysis is not None else []
    known = [f"{end.device}:{end.nic}" for end in ends]
    hosts = [device.name for device in report.devices]
    named = known or hosts or ["gpu1"]
    if random.random() < 0.2:
        named = [*named, *hosts, "gpu1:mlx5_0", "x:y"]
    more = random.choice(([], [], ["--reverse"], ["--dscp", "26"], ["--class", "roce"]))
    return ["--from", random.choice(named), "--to", random.choice(named), *more]


def _port(random: Random, report: Report) -> str:
    """A port that was read, in the form of `show --port`."""
    devices = list(report.fabric.devices.values()) if report.fabric is not None else []
    ports = [f"{device.hostname}:{port}" for device in devices for port in device.interfaces]
    return random.choice(ports or ["leaf1:Ethernet1"])


def _changes(random: Random, report: Report) -> list[str]:
    port = _port(random, report)
    own = f"{port} {random.choice(('ip_mtu=1500', 'speed=100G', 'enabled=false', 'fec=rs'))}"
    return random.choice(
        (["--cut", port], ["--set", own], ["--set", random.choice(CHANGES)], ["--set", own, "--cut", port])
    )  # fmt: skip
