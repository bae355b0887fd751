"""Measures `generate` of a fabric against `check` of its output, and of one device against all.

    python benchmarks/generate.py                # 4,048 switches of 64 ports, 672 hosts
    python benchmarks/generate.py --small        # a forty-second of it

Only ratios of one run count: the machine may do other things.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import run
import yaml
from states import _once

SAMPLE = Path(__file__).parents[1] / "sample_configs/intents/two-tiers.yaml"
PODS = 84
BUDGETS = {"generate": 1.5, "one": 0.1, "memory": 1.0}


def main() -> int:
    """Run everything; the exit status says whether the budgets were met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="2 pods of 48 switches")
    options = parser.parse_args()
    pods = 2 if options.small else PODS
    with tempfile.TemporaryDirectory() as folder:
        run.keep_bytecode(Path(folder) / "bytecode")
        intent, out, one = (Path(folder) / name for name in ("intent.yaml", "out", "one"))
        intent.write_text(yaml.safe_dump(fabric(pods)), encoding="utf-8")
        print(f"{pods * 48 + 16} switches of 64 ports, {pods * 8} hosts")
        whole, memory = _once(run.roce_lint("generate", str(intent), "-o", str(out)))
        wanted = ("-o", str(one), "--device", "p1-leaf2")
        single, _ = _once(run.roce_lint("generate", str(intent), *wanted))
        check, _ = _once(run.roce_lint("check", str(out), "--no-cache", "--format", "concise"))
    if options.small:
        single = 0.0  # most of it is the start of Python
    figures = {
        "generate": (whole / check, f"{whole:.1f} s against {check:.1f} s of check"),
        "one": (single / whole, f"{single:.1f} s for one device against {whole:.1f} s for all"),
        "memory": (memory / run.BUDGET_BYTES, f"{memory / run.MB:.0f} MB of 1 GiB"),
    }
    for name, (ratio, words) in figures.items():
        print(f"{name:<10}{ratio:6.2f} x   (budget {BUDGETS[name]})   {words}")
    met = all(ratio <= BUDGETS[name] for name, (ratio, _) in figures.items())
    print("budgets met" if met else "a budget was missed")
    return 0 if met else 1


def fabric(pods: int) -> dict[str, object]:
    """An intent of three tiers, with 32 leaves and 16 spines in a pod."""
    made = yaml.safe_load(SAMPLE.read_text(encoding="utf-8"))
    tiers = made["fabric"]
    leaf, spine = tiers["leaf"], tiers["spine"]
    port = {"speed_gbps": 400, "lanes": 8, "fec": "rs"}
    made["fabric"] = {
        "tiers": 3, "pods": pods, "planes": 16,
        "leaf": {**leaf, "count": 32, "name": "p{pod}-leaf{i}", "links": 2,
                 "asn": {"first": 4200000001}},
        "spine": {**spine, "count": 16, "name": "p{pod}-spine{i}", "links": 8,
                  "asn": {"first": 4200010001, "each": "pod"},
                  "down": {"first": 1, "last": 64, **port}, "up": {"first": 65, **port}},
        "superspine": {**spine, "count": 16, "name": "super{n}",
                       "asn": {"first": 4200020001, "each": "tier"}, "down": {"first": 1, **port}},
    }  # fmt: skip
    made["hosts"]["gpu"] |= {"count": 8 * pods, "nics": 8}
    made["addressing"] = {
        "links": "10.0.0.0/12",
        "loopbacks": "10.255.0.0/16",
        "hosts": "11.0.0.0/12",
    }
    return made


if __name__ == "__main__":
    sys.exit(main())
