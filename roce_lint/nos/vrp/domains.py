"""DiffServ domains of CloudEngine switches: from code points to queues."""

from __future__ import annotations

from roce_lint.model.qos import Classifier
from roce_lint.model.units import DSCPS
from roce_lint.nos.code_maps import by_values, code_map
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.quantities import number, read_numbers, upto
from roce_lint.nos.reading import Reader, Reading, Value

defaults = defaults_of("vrp")

KIND = "dscp map"
"""What a domain is among the named structures."""

BUILTIN = "default"
"""The domain that every device has and nobody can delete."""

QUEUES = {"be": 0, "af1": 1, "af2": 2, "af3": 3, "af4": 4, "ef": 5, "cs6": 6, "cs7": 7}
"""Queue of each per-hop behaviour."""

PRIORITIES = range(8)


def domain(reading: Reading, name: str, reader: Reader | None = None, begin: int = 0) -> Classifier:
    """The classifier of a domain: what its stanza states, and the default mapping for the rest.

    A domain without a stanza stands at `begin`.
    """
    dscp, pcp = _defaults(reading)
    if reader is not None:
        begin = reader.begin
        reader.take()
        reader.text("name")
        lines = [
            (
                read_numbers(reading, entry.text("codes"), upto(63), "a list of DSCPs", "DSCP"),
                _queue(entry, entry.text("phb")),
            )
            for entry in reader.children("dscp")
        ]
        dscp |= by_values(lines)
        pcp |= by_values([_pcp(entry) for entry in reader.children("pcp")])
    return reading.build(
        Classifier,
        begin,
        name=name,
        builtin=reader is None,
        dscp_to_tc=code_map(reading, begin, dscp, name=name),
        pcp_to_tc=code_map(reading, begin, pcp, name=name),
    )


def _defaults(reading: Reading) -> tuple[dict[int, Value[int]], dict[int, Value[int]]]:
    at = reading.default(defaults.DSCP_TO_PHB).position
    dscp = {code: Value(code >> 3, at) for code in DSCPS}
    at = reading.default(defaults.PCP_TO_PHB).position
    return dscp, {code: Value(code, at) for code in PRIORITIES}


def _pcp(entry: Reader) -> tuple[Value[frozenset[int]], Value[int]]:
    """The code point and queue of `8021p-inbound 3 phb af3 green`."""
    line = entry.text("line")
    words = (line.value or "").split()
    code = number(words[1])
    codes = frozenset({code} if code is not None and code in PRIORITIES else ())
    return Value(codes, line.position), _queue(entry, Value(words[3], line.position))


def _queue(reader: Reader, phb: Value[str]) -> Value[int]:
    """The queue of `af3 [green]`."""
    word = phb.map(lambda text: text.split(maxsplit=1)[0].lower())
    return reader.convert(word, QUEUES.__getitem__, "a per-hop behaviour")
