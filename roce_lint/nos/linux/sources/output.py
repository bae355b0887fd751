"""How a command output of a host is declared: its command line, file name and signs."""

from __future__ import annotations

from roce_lint.nos.base import Form, Ignored, Plane, Signature, Source

PROOF = 10
GOOD = 6
"""Weights of a sign: alone enough, and enough without a rival."""

BEFORE = r"(?:sudo (?:-\S+ )*)?(?:\w+=\S+ )*(?:\S*/)?"
"""What may stand before a command's name in a header."""

JSON = r"(?=.* --?[a-zA-Z]*j)(?: -\S+)*"
TEXT = r"(?: -\S+)*"
"""Options of iproute2 tools: with and without -j."""


REFUSAL = r"\A(?:# command:[^\n]*(?:\n|\Z))?[^{}\[\]]*\Z"
"""Instead of JSON: nothing, or words such as `Attribute read: Operation not supported`."""


def output(  # noqa: PLR0913  (what the sources of a host differ in, each by its name)
    name: str,
    command: str,
    *signatures: tuple[str, int, str],
    form: Form = Form.RAW,
    run: str | None = None,
    file_name: str | None = None,
    ignored: tuple[Ignored, ...] = (),
    speaks: bool = False,
    says: bool = True,
    environment: bool = False,
) -> Source:
    """A live output: its command, and the signs by which it is known without one.

    `speaks` tells one that is never empty where the port is there and the command works;
    `says` is false for one that tells nothing of how RoCE is set up.
    """
    return Source(
        name,
        form,
        Plane.STATE,
        command=BEFORE + command,
        run=run,
        file_name=file_name,
        signatures=tuple(Signature(*each) for each in signatures),
        ignored=ignored,
        environment=environment,
        refusal=REFUSAL if form is Form.JSON else None,
        speaks=speaks,
        says=says,
    )


def name_with_argument(name: str, group: str = "port", ending: str = "txt") -> str:
    """File name `mlnx_qos-ens1np0.txt`."""
    return rf"^{name}[-_](?P<{group}>[\w.@:-]+?)\.{ending}$"
