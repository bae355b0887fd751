"""Which rows of a chassis are those of the card that the file is of."""

from __future__ import annotations

from collections.abc import Iterable

_BARS = 3  # in a key `host|asic|port|rest`


def card_of(key: str) -> tuple[str, str, str, str] | None:
    """Host, ASIC, port and rest of a key that names all four."""
    if key.count("|") != _BARS:
        return None
    host, asic, port, rest = key.split("|")
    return host, asic, port, rest


def own_card(keys: Iterable[str], host: str | None, asic: str | None) -> tuple[str, str] | None:
    """Host and ASIC of the card: what its metadata says, else the only one that has rows. The
    ASIC is empty where any of the host is meant.

    None where several cards have rows and nothing tells which is the own one.
    """
    if host:
        return host, asic or ""
    cards = {card[:2] for key in keys if (card := card_of(key)) is not None}
    return cards.pop() if len(cards) == 1 else None


def is_same(own: tuple[str, str], host: str, asic: str) -> bool:
    """Whether a row of `host|asic` is one of the own card; files spell them in either case."""
    return own[0].casefold() == host.casefold() and own[1].casefold() in ("", asic.casefold())
