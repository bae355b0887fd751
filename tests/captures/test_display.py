"""A configuration in other forms of its system gives the result of its text form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from tests.captures.test_matrix import findings_of, judged, known, put, read_of
from tests.conftest import ROOT, Within

FOLDER = ROOT / "tests" / "captures" / "displayed"
FORMS = ("leaf6.xml", "leaf6.json", "leaf6-before-16.1.json")


def text_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def without_words(findings: list[object]) -> list[object]:
    """Rules, severities and messages: the words of a line are others in another form."""
    return [finding[:3] for finding in findings]  # type: ignore[index]


@pytest.mark.parametrize("name", FORMS)
def test_another_form_is_the_same_switch(name: str, tmp_path: Path) -> None:
    plain = judged(put(tmp_path, text_of("leaf6.conf")))
    report = judged(put(tmp_path, text_of(name)))
    assert known(read_of(report)) == known(read_of(plain))
    assert without_words(findings_of(report)) == without_words(findings_of(plain))
    assert [entry for entry in report.diagnostics if entry.incomplete] == []


@pytest.mark.parametrize("name", FORMS)
def test_places_are_lines_of_the_file(name: str, tmp_path: Path) -> None:
    text = text_of(name)
    report = judged(put(tmp_path, text))
    lines = text.split("\n")
    places = [
        place
        for finding in report.findings
        for occurrence in finding.occurrences
        for place in occurrence.locations
    ]
    assert places != []
    for place in places:
        said = lines[(place.line or 1) - 1]
        assert set(re.findall(r"[\w.-]+", place.text)) & set(re.findall(r"[\w.-]+", said)), place
    assert any("9170" in place.text and "9170" in lines[place.line - 1] for place in places)


PROMPT = "netops@leaf6> "


def session(name: str, command: str) -> str:
    return f"{PROMPT}show version\nJunos: 23.4R1.9\n\n{PROMPT}{command}\n{text_of(name)}\n{PROMPT}exit\n"


WAYS = {
    "a session": lambda name: session(name, f"show configuration | display {name[-3:]} | no-more"),
    "Ansible, as a string": lambda name: json.dumps({"leaf6": {"stdout": [text_of(name)]}}),
    "a ticket": lambda name: f"# slow\n\n```\n{text_of(name)}```\n",
    "stamps": lambda name: "".join(
        f"[08:11:{n % 60:02}] {line}\n" for n, line in enumerate(text_of(name).split("\n"))
    ),
    "a pager": lambda name: re.sub(
        r"(?m)(\A|\n)((?:.*\n){20})", r"\1\2---(more 5%)---\n", text_of(name)
    ),
    "on one line": lambda name: re.sub(r"\n\s*", " ", text_of(name).split("\n\n")[0]),
    "a byte-order mark": lambda name: f"\ufeff\n{text_of(name)}",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FORMS)
def test_another_form_comes_in_every_way(name: str, way: str, tmp_path: Path) -> None:
    plain = judged(put(tmp_path, text_of("leaf6.conf")))
    report = judged(put(tmp_path, WAYS[way](name)))
    assert known(read_of(report)) == known(read_of(plain))
    assert without_words(findings_of(report)) == without_words(findings_of(plain))
    assert [entry for entry in report.diagnostics if entry.incomplete] == []


def result(**inside: object) -> str:
    return json.dumps({"ok": True, "stdout": [{"configuration": inside}]}, indent=2)


XML = '<configuration xmlns="http://xml.juniper.net/xnm/1.1/xnm">{}</configuration>'
PORT = "<interfaces><interface><name>et-0/0/9</name><mtu>9000</mtu></interface></interfaces>"
ENOUGH = "<version>23.4R1</version><system><host-name>leaf7</host-name></system>"


@pytest.mark.parametrize(
    "text",
    [
        XML.format(ENOUGH + PORT),
        f"<?xml version='1.0' encoding='ISO-8859-1'?>\n<data>{XML.format(ENOUGH + PORT)}</data>",
        f"<nc:rpc-reply xmlns:nc='x'><nc:data>{XML.format(ENOUGH + PORT)}</nc:data></nc:rpc-reply>",
        (
            "<rpc-reply><configuration-text>\nversion 23.4R1;\nsystem {\n    host-name leaf7;\n}\n"
            "interfaces {\n    et-0/0/9 {\n        mtu 9000;\n    }\n}\n</configuration-text></rpc-reply>"
        ),
        (
            "<rpc-reply><configuration-set>\nset version 23.4R1\nset system host-name leaf7\n"
            "set interfaces et-0/0/9 mtu 9000\n</configuration-set></rpc-reply>"
        ),
        result(
            version="23.4R1",
            system={"host-name": "leaf7"},
            interfaces={"interface": [{"name": "et-0/0/9", "mtu": 9000}]},
        ),
    ],
    ids=["bare", "declared", "NETCONF", "text", "set", "result of a task"],
)
def test_what_stands_around_a_configuration(text: str, tmp_path: Path) -> None:
    (device,) = read_of(judged(put(tmp_path, text)))
    assert (device.hostname, *device.interfaces) == ("leaf7", "et-0/0/9")
    assert device.interfaces["et-0/0/9"].ip_mtu == 8986


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))

HOSTILE = {
    "entities": f'<!DOCTYPE x [<!ENTITY a0 "x">{LAUGHS}]>{XML.format(f"{ENOUGH}&a11;")}',
    "a file": f'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>{XML.format(f"{ENOUGH}&f;")}',
    "an entity without a declaration": XML.format("<version>&f;</version>"),
    "deep": XML.format("<system>" + "<a>" * 5000 + "</a>" * 5000 + "</system>"),
    "deep JSON": '{"configuration": {"system": ' + '{"a": ' * 5000 + "1" + "}" * 5002,
    "deeper JSON": '{"configuration": {"system": ' + "[" * 200_000,
    "cut off": XML.format(ENOUGH + PORT)[:-40],
    "JSON cut off": '{"configuration": {"version": "23.4R1", "system": {"host-name": "le',
    "two values": '{"configuration": {"system": {"host-name": [[1, 2]]}}}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_read_is_named_with_what_to_save(name: str, tmp_path: Path) -> None:
    report = judged(put(tmp_path, HOSTILE[name]))
    assert report.devices == []
    (said,) = [entry for entry in report.diagnostics if entry.incomplete]
    assert said.kind == "unsupported-form"
    assert "JSON" in said.message or "XML" in said.message
    assert "show configuration" in said.message


@pytest.mark.parametrize(
    "text",
    [
        "<project>\n<build><configuration><version>17</version></configuration></build>\n</project>",
        "<configuration>\n<appender name='x'>\n</appender>\n</configuration>",
        '{"configuration": {"theme": "dark", "interfaces": [1, 2]}}',
    ],
)
def test_settings_of_other_programs_are_left_alone(text: str, tmp_path: Path) -> None:
    put(tmp_path, text)
    report = run(Request((str(tmp_path),), jobs=1, cache=False), Settings())
    assert [entry.kind for entry in report.diagnostics] == ["nothing-found"]


def test_many_elements_take_little_time(tmp_path: Path, within: Within) -> None:
    ports = "".join(
        f"<interface><name>et-0/0/{n}</name><mtu>9000</mtu></interface>" for n in range(5000)
    )
    with within(20):
        report = judged(put(tmp_path, XML.format(f"{ENOUGH}<interfaces>{ports}</interfaces>")))
    assert len(next(iter(read_of(report))).interfaces) == 5000
