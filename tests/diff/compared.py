"""Two states of devices compared, as the command does it, without a command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roce_lint.analysis.difference import sift_of
from roce_lint.loading.load import load
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference
from roce_lint.model.values import spell_value


def devices(files: Mapping[str, str], folder: Path) -> dict[str, Device]:
    """The devices of files that are written into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return {device.hostname: device for device in load((str(folder),)).devices}


def device(text: str, folder: Path, name: str = "device.cfg") -> Device:
    """The one device of one file."""
    (made,) = devices({name: text}, folder).values()
    return made


def compared(a: Device, b: Device, *, stated: bool = False) -> list[Difference]:
    """Differences between two states of a device."""
    return differences(a, b, stated=stated, sift=sift_of(a, b))


def change_lines(found: list[Difference]) -> list[str]:
    """Differences in words: `interfaces[e1].ip_mtu: 9216 -> 1500`."""
    return [
        f"{each.path.inside}: {spell_value(each.a, each.path.steps[-1].field)} -> "
        f"{spell_value(each.b, each.path.steps[-1].field)}"
        for each in found
    ]
