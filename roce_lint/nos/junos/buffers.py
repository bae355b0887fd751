"""Shared buffer: how the packet memory is divided; names of dedicated buffer profiles."""

from __future__ import annotations

from roce_lint.model.buffer import BufferPool, Direction, PoolUse
from roce_lint.nos.junos.context import Context
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch, whole
from roce_lint.text.numbers import real

SIDES = {"ingress": Direction.INGRESS, "egress": Direction.EGRESS}
PARTITIONS = {
    "lossless": PoolUse.LOSSLESS,
    "lossless-headroom": PoolUse.HEADROOM,
    "lossy": PoolUse.LOSSY,
    "multicast": PoolUse.MULTICAST,
}


def read_pools(context: Context) -> dict[str, BufferPool]:
    """The partitions of the shared buffer, as shares of it."""
    found: dict[str, BufferPool] = {}
    shared = context.cos.get("shared-buffer")
    for side, direction in SIDES.items():
        branch = shared.get(side)
        branch.get("percent").take_all()
        for name, below in branch.get("buffer-partition").pairs():
            below.take()
            threshold = below.convert("dynamic-threshold", whole, "a whole number")
            context.reading.takes("dynamic-threshold", threshold.value, threshold.position)
            if name not in PARTITIONS:
                context.bad(f"buffer-partition {name[:32]!r} is not known", below.begin)
                continue
            found[f"{side} {name}"] = context.reading.build(
                BufferPool,
                below.begin,
                name=f"{side} {name}",
                direction=direction,
                use=PARTITIONS[name],
                share_percent=_percent(context, below),
            )
    for name, branch in context.cos.get("dedicated-buffer-profile").pairs():
        context.reading.names.define("buffer profile", name, branch.begin, matters=False)
    return found


def _percent(context: Context, branch: Branch) -> Value[float]:
    value = branch.convert("percent", whole, "a percentage")
    if not context.reading.takes("percent", value.value, value.position):
        return ABSENT
    return value.map(real)
