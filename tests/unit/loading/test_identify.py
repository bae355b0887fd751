from __future__ import annotations

import json

import pytest

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.loading.identify import FAR, HEAD, Header, Identity, header_of, identify
from roce_lint.nos.base import Nos
from roce_lint.nos.declare import Form, Signature, Source
from roce_lint.nos.registry import all_nos
from tests.unit.loading.conftest import Known
from tests.unit.loading.making import PAUSE, eos, nxos


def nos(name: str, *signs: tuple[str, int], file_name: str | None = None) -> Nos:
    signatures = tuple(Signature(pattern, weight, pattern) for pattern, weight in signs)
    source = Source("state", Form.RAW, signatures=signatures, file_name=file_name, base=True)
    return Nos(name, name, (source,), normalize=lambda _: None)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        (
            "# command: mlnx_qos -i ens1  host: gpu-017  time: 2026-10-07T06:13:11Z\nx\n",
            Header("mlnx_qos -i ens1", "gpu-017", "2026-10-07T06:13:11Z"),
        ),
        ("# command: show run\r\n", Header("show run")),
        ("# command: ethtool -a ens1  host: gpu-1", Header("ethtool -a ens1", "gpu-1")),
        ("# command: x  time: now  host: gpu-1\n", Header("x", "gpu-1", "now")),
        ("# command: x  host:  time: now\n", Header("x  host:", None, "now")),
        ("\ufeff# command: show run\n", Header("show run")),
        ("# command:\n", Header("")),
        ("# command: echo host: a\n", Header("echo host: a")),
        ("# command: x  host: a\x1b[1m\n", Header("x", "a\\x1b[1m")),
        ("#command: x\n", None),
        ("\n# command: x\n", None),
        ("", None),
    ],
)
def test_the_header_of_a_snapshot(text: str, header: Header | None) -> None:
    assert header_of(text) == header


@pytest.mark.parametrize(
    "tail", [" " * 1_000_000, "  host: " * 100_000, "x" * 1_000_000, "\t" * 99]
)
def test_an_endless_header_is_read_in_no_time(tail: str) -> None:
    header = header_of(f"# command: show run{tail}")
    assert header is not None
    assert header.command.startswith("show run")


def test_a_header_decides_whatever_the_content() -> None:
    text = "# command: ethtool -a ens1  host: gpu-1  time: t\n" + eos()
    assert identify("x.txt", text) == Identity(
        "linux", "ethtool-pause", {"port": "ens1"}, "gpu-1", "t", header=True
    )


def test_a_header_nobody_knows_leaves_it_to_the_content() -> None:
    text = "# command: cat /tmp/save  host: sw-1\n" + eos("leaf1")
    found = identify("x.txt", text)
    assert (found.nos, found.source, found.host, found.header) == (
        "eos", "running-config", "sw-1", True,
    )  # fmt: skip


def test_a_header_nobody_knows_is_named_where_the_content_says_nothing() -> None:
    with pytest.raises(UnknownFormat, match="names the command 'frob -x', which is not supported"):
        identify("x.txt", "# command: frob -x\nnothing\n")


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.cfg", eos(), ("eos", "running-config")),
        ("a.cfg", nxos(), ("nxos", "running-config")),
        ("a.cfg", nxos().replace("\n", "\r\n"), ("nxos", "running-config")),
        ("x/y", PAUSE.format(port="ens1"), ("linux", "ethtool-pause")),
        ("a.json", json.dumps({"PORT": {"Ethernet0": {"mtu": "9100"}}}), ("sonic", "config-db")),
    ],
)
def test_content_tells_the_source(name: str, text: str, found: tuple[str, str]) -> None:
    identity = identify(name, text)
    assert (identity.nos, identity.source, identity.header) == (*found, False)


def test_the_file_name_gives_the_arguments() -> None:
    text = PAUSE.format(port="x")
    for name in (
        "ethtool-a-ens1np0.txt",
        "gpu/ethtool_a_ens1np0.txt",
        "s.tar!h/ethtool-a-ens1np0.txt",
    ):
        assert identify(name, text).args == {"port": "ens1np0"}
    assert identify("whatever.txt", text).args == {}


def test_signs_are_found_at_the_end_of_a_long_file(known: Known) -> None:
    known(nos("acme", ("^acme sign$", 10)))
    assert identify("x", "x\n" * HEAD + "acme sign\n").nos == "acme"


def test_signs_are_found_far_inside_where_nothing_else_says_anything(known: Known) -> None:
    known(nos("acme", ("^acme sign$", 10)))
    text = "x\n" * (FAR // 4) + "acme sign\n" + "x\n" * FAR
    assert identify("x", text).nos == "acme"
    with pytest.raises(UnknownFormat):
        identify("x", "x\n" * (FAR // 2) + text)


def test_a_file_that_begins_like_one_and_goes_on_like_another_is_decided_by_the_sum(
    known: Known,
) -> None:
    known(nos("one", ("^one", 4)))
    known(nos("two", ("^two", 4), ("^2", 4)))
    text = "one\n" + "-\n" * 4000 + "two\n2\n"
    assert identify("x", text).nos == "two"


def test_two_candidates_within_the_margin_are_named_with_their_evidence(known: Known) -> None:
    known(nos("one", ("^one", 6)))
    known(nos("two", ("^two", 4)))
    with pytest.raises(AmbiguousFormat) as raised:
        identify("a.cfg", "one\ntwo\n")
    assert str(raised.value) == "a.cfg: could be one state (6: ^one) or two state (4: ^two)"
    known(nos("two", ("^two", 3)))
    assert identify("a.cfg", "one\ntwo\n").nos == "one"


def test_the_rival_may_be_the_third(known: Known) -> None:
    known(nos("one", ("^one", 6)))
    both = nos("one", ("^one", 6))
    second = Source("other", Form.RAW, signatures=(Signature("^one", 5, "^one"),))
    known(Nos("one", "one", (*both.sources, second), normalize=both.normalize))
    known(nos("two", ("^two", 4)))
    with pytest.raises(AmbiguousFormat, match=r"one state .* or two state"):
        identify("a.cfg", "one\ntwo\n")


def test_two_outputs_of_one_nos_must_only_differ(known: Known) -> None:
    def of(weight: int) -> Nos:
        signs = (Signature("^x", 6, "x"),), (Signature("^x", weight, "x"),)
        sources = tuple(Source(n, Form.RAW, signatures=s) for n, s in zip("ab", signs, strict=True))
        return Nos("one", "one", sources, normalize=lambda _: None)  # type: ignore[arg-type,return-value]

    known(of(5))
    assert identify("x", "x\n").source == "a"
    known(of(6))
    with pytest.raises(AmbiguousFormat, match=r"one a \(6: x\) or one b \(6: x\)"):
        identify("x", "x\n")


def test_too_little_evidence_is_told(known: Known) -> None:
    known(nos("one", ("^one", 2)))
    with pytest.raises(UnknownFormat) as raised:
        identify("a.cfg", "one\n")
    assert raised.value.hint == "the nearest is one state (2: ^one)"
    with pytest.raises(UnknownFormat) as raised:
        identify("a.cfg", "none\n")
    assert raised.value.hint is None


def test_a_file_name_is_evidence_too(known: Known) -> None:
    known(nos("one", ("^x", 1), file_name=r"^one-(?P<port>\w+)\.txt$"))
    assert identify("a/one-p1.txt", "y\n") == Identity("one", "state", {"port": "p1"})
    known(nos("two", ("^x", 6)))
    with pytest.raises(AmbiguousFormat):
        identify("a/one-p1.txt", "x\n")


def test_signs_may_speak_against(known: Known) -> None:
    known(nos("one", ("^one", 6), ("^relative", -20)))
    assert identify("x", "one\n").nos == "one"
    with pytest.raises(UnknownFormat):
        identify("x", "one\nrelative\n")


def test_the_search_can_be_restricted() -> None:
    with pytest.raises(UnknownFormat):
        identify("a.cfg", nxos(), only="linux")
    with pytest.raises(UnknownFormat):
        identify("a.cfg", "# command: ethtool -a ens1\n", only="nxos")
    assert identify("a.cfg", nxos(), only="nxos").nos == "nxos"


def test_every_declared_command_is_known_by_its_own_pattern() -> None:
    """Every command of a pull has a reader."""
    for entry in all_nos().values():
        for source in entry.sources:
            if source.run is not None:
                found = identify("x", f"# command: {source.run}\nx\n", only=entry.name)
                assert (found.nos, found.source) == (entry.name, source.name)
