"""Identifying lines of real configurations: no name and no address of the device stays."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from pathlib import Path

import pytest

from roce_lint.loading.load import load
from roce_lint.model.device import Device
from roce_lint.new_leaf.substitution import Words, mentions

NEW = "newleaf99"
LEAST = 300
"""Minimum number of rewritten lines, so that the test is meaningful."""


def words_of(device: Device) -> Words:
    """A new name, and addresses that all move."""
    words = Words(names={device.hostname: NEW})
    for port in device.interfaces.values():
        for address in port.addresses:
            own = ipaddress.ip_interface(address).ip
            words.moved.by[ipaddress.ip_network(own)] = 1 << 20
    return words


def reworded(folder: Path) -> Iterator[tuple[str, str]]:
    for device in load((str(folder),), cache=False).devices:
        named = any(map(str.isdigit, device.hostname)) and not device.is_host
        words = words_of(device)
        for ref in device.src.files if named and device.stated("hostname") else ():
            if ref.path is not None and ref.placing is None:
                text = Path(ref.path).read_text(encoding="utf-8", errors="replace")
                for line in text.split("\n"):
                    if len(line) < 500 and mentions(line, words.names, words.moved):
                        yield line, words.rewrite(line)
                        assert not mentions(words.rewrite(line), words.names, words.moved)


@pytest.mark.deep
def test_every_line_is_reworded(corpus: Path) -> None:
    found = [pair for folder in sorted(corpus.iterdir()) if folder.is_dir()
             for pair in reworded(folder)]  # fmt: skip
    assert len(found) >= LEAST
    assert all(new != old for old, new in found)
