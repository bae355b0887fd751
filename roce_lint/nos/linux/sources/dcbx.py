"""The outputs and files that tell of LLDP and DCBX."""

from __future__ import annotations

from roce_lint.nos.base import Form, Plane, Signature, Source
from roce_lint.nos.linux.sources.output import PROOF, output

_ON = r"(?=.* -\w*i ?(?P<port>[\w.@-]+))"
_TLV = r"(?:(?=.* -V ?(?P<tlv>[\w-]+)))?"
_ELEMENT = r"^\s*IEEE 8021QAZ (?:ETS Configuration|PFC|APP) TLV\s*$"

DCBX = (
    output(
        "lldp",
        r"lldpc(?:li|tl)\b(?=.* -f ?json).*",
        (r'\A\s*\{\s*"lldp":\s*[\[{]', PROOF, "neighbours of lldpcli"),
        form=Form.JSON,
        run="lldpcli -f json0 show neighbors details",
    ),
    output(
        "lldp-text",
        r"lldpc(?:li|tl)\b(?!.* -f).*",
        (r"^Interface:\s+\S+, via: LLDP", PROOF, "neighbour of lldpcli"),
    ),
    output(
        "lldp-keyvalue",
        r"lldpc(?:li|tl)\b(?=.* -f ?keyvalue\b).*",
        (r"^lldp\.\S+\.via=LLDP[ \t\r]*$", PROOF, "neighbour of lldpcli as key and value"),
    ),
    output(
        "lldp-other",
        r"lldpc(?:li|tl)\b(?=.* -f ?xml\b).*",
        (r"^<lldp label=", PROOF, "neighbours of lldpcli as XML"),
    ),
    output(
        "lldptool-neighbor",
        rf"lldptool(?=.* -\w*n)(?!.* -\w*T){_ON}.*",
        file_name=r"^lldptool[-_]n(?:eighbou?rs?)?[-_](?P<port>[\w.@:-]+?)\.txt$",
    ),
    output(
        "lldptool",
        rf"lldptool(?!.* -\w*T){_ON}{_TLV}.*",
        (_ELEMENT, PROOF, "DCBX element of lldptool"),
        (r"^End of LLDPDU (?:TLV|LTV)[ \t\r]*$", PROOF, "end of lldptool's answer"),
        file_name=r"^lldptool[-_](?!n(?:eighbou?rs?)?[-_])(?P<port>[\w.@:-]+?)\.txt$",
    ),
    Source(
        "lldpad",
        Form.RAW,
        Plane.CONFIG,
        command=r"cat \S*lldpad\.conf",
        file_name=r"^lldpad\.conf$",
        signatures=(Signature(r"^\s*tlvid0080c2(?:09|0a|0b|0c)\s*:", PROOF, "setting of lldpad"),),
    ),
)
