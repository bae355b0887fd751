from __future__ import annotations

import json

import pytest

from roce_lint.errors import ReadError
from roce_lint.text.source import SourceFile
from roce_lint.text.tree import Note, TreeForm, form_of, json_places, load_json, locate

PORTS = """\
{
    "PORT": {
        "Ethernet0": {"mtu": "9100", "lanes": [1, 2]},
        "Ethernet4": {
            "mtu": "1500"
        }
    }
}
"""


def file(text: str) -> SourceFile:
    return SourceFile.of("leaf1.json", text)


def refused(text: str) -> str:
    with pytest.raises(ReadError) as caught:
        load_json(file(text))
    return str(caught.value)


def test_of_a_doubled_json_key_the_last_counts_and_a_note_says_so():
    text = '{\n "a": {"x": 1},\n "\\u0061": {"y": 2}\n}'
    tree = load_json(file(text))
    assert tree.data == {"a": {"y": 2}}
    assert tree.notes == [Note(3, '"a" comes again; the last one counts')]
    assert locate(text, TreeForm.JSON, ("a", "y")) == (3, 13)
    assert locate(text, TreeForm.JSON, ("a", "x")) == (3, 2)


def test_notes_are_capped():
    text = "{" + ",\n".join('"a": 1' for _ in range(100)) + "}"
    notes = load_json(file(text)).notes
    assert len(notes) == 21
    assert notes[-1] == Note(22, "79 more keys come again")


@pytest.mark.parametrize(
    "before",
    [
        "admin@sonic:~$ show runningconfiguration all\n",
        "[admin@leaf1 ~]$ cat /etc/sonic/config_db.json\n",
        "{master:0}\nuser@leaf1> show lldp neighbors | display json\n",
        "\n\r\n$ sonic-cfggen -d --print-data\n\n",
    ],
)
@pytest.mark.parametrize("after", ["", "admin@sonic:~$ ", "\nadmin@sonic:~$ exit\nlogout\n"])
def test_console_lines_around_a_document_are_passed_over(before, after):
    text = before + PORTS + after
    tree = load_json(file(text))
    assert tree.data == json.loads(PORTS)
    shift = before.count("\n")
    assert locate(text, TreeForm.JSON, ("PORT", "Ethernet4", "mtu")) == (shift + 5, 13)
    assert form_of(text) is TreeForm.JSON
    said = [note.message.split(":")[0] for note in tree.notes]
    assert said == ["passed over before the JSON document"] + (
        ["passed over behind the JSON document"] if after else []
    )


def test_notes_on_console_lines_name_their_first_line_and_number():
    tree = load_json(file("\n$ one\n$ two\n" + PORTS + "\n\n$ three"))
    assert tree.notes == [
        Note(2, "passed over before the JSON document: 2 lines"),
        Note(14, "passed over behind the JSON document: 1 line"),
    ]


def test_comment_lines_before_a_document_need_no_note():
    text = "# command: rdma link -j  host: gpu-017\n" + PORTS
    assert load_json(file(text)).notes == []
    assert form_of(text) is TreeForm.JSON


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "leaf1.json:1: the file is empty"),
        (" \n\n", "leaf1.json:1: the file is empty"),
        ("hostname leaf1\n", "leaf1.json:1: holds no JSON object or list"),
        ('\n"text"', "leaf1.json:2: holds no JSON object or list"),
        ("17", "leaf1.json:1: holds no JSON object or list"),
        ('{"a": 1,\n "b" 2}', "leaf1.json:2: not valid JSON at column 6: expecting ':' delimiter"),
        ('{"a": 1}\n{"b": 2}', "leaf1.json:2: more JSON follows the end of the document"),
        ('{"a": 1}\n}', "leaf1.json:2: more JSON follows the end of the document"),
        ('  "x": 1\n},\n{"a": 1}', "leaf1.json:1: the beginning of the JSON document is missing"),
        (
            '[1,\n["a"]',
            (
                "leaf1.json:2: the file ends inside the outermost bracket, opened on line 1: "
                "',' or ']' was expected"
            ),
        ),
        ('{"a": 1,\n"b": NaN}', "leaf1.json:2: NaN is out of range for a number"),
        ('{"NaN": "NaN",\n"b": -Infinity}', "leaf1.json:2: -Infinity is out of range for a number"),
        ('{"a":\n1e999}', "leaf1.json:2: 1e999 is out of range for a number"),
        (
            f'{{"a": "{"1" * 5000}",\n"b": {"1" * 5000}}}',
            "leaf1.json:2: an integer of more than 4300 digits is out of range for a number",
        ),
        ('{"a":\n' + "[" * 200 + "]" * 200 + "}", "leaf1.json:2: nests deeper than 100 levels"),
        ('{"a":\n' + "[" * 200_000, "leaf1.json:2: nests deeper than 100 levels"),
        (
            '{\n"PORT": {\n"Ethernet0": {\n"mtu": "91',
            (
                "leaf1.json:4: the file ends inside PORT|Ethernet0, opened on line 3: "
                "a closing quote was expected"
            ),
        ),
        (
            '{"PORT": [\n"a"\n\n',
            "leaf1.json:2: the file ends inside PORT, opened on line 1: ',' or ']' was expected",
        ),
        (
            '{"a": 1, "b": tr',
            (
                "leaf1.json:1: the file ends inside the outermost bracket, opened on line 1: "
                "a value was expected"
            ),
        ),
    ],
)
def test_what_is_no_json_document_is_refused_with_its_line(text, message):
    assert refused(text) == message


def test_a_list_of_numbers_is_a_document():
    assert load_json(file(" [1, 2]\n")).data == [1, 2]
    assert locate(" [1, 2]\n", TreeForm.JSON, (1,)) == (1, 6)


def test_a_string_cut_off_at_the_end_of_a_line():
    with pytest.raises(ReadError) as caught:
        load_json(SourceFile.of("half.json", '{"PORT": {"Ethernet0": {"mtu": "91\n'))
    assert str(caught.value) == (
        "half.json:1: the file ends inside PORT|Ethernet0, opened on line 1: "
        "a closing quote was expected"
    )


@pytest.mark.parametrize("half", ["\\ud800", "\\uDFff", "\\udc00\\ud800", "\\ud800\\ud800"])
def test_half_of_a_surrogate_pair_is_no_character(half: str) -> None:
    text = f'{{"a{half}": {{"b{half}": "c{half}", "d": 1}}}}'
    gone = "�" * half.count("\\")
    data = load_json(file(text)).data
    assert data == {f"a{gone}": {f"b{gone}": f"c{gone}", "d": 1}}
    json.dumps(data, ensure_ascii=False).encode()
    place = (1, text.index('"d"') + 1)
    assert locate(text, TreeForm.JSON, (f"a{gone}", "d")) == place
    assert json_places(text).place((f"a{gone}", "d")) == place


def test_whole_pairs_and_what_merely_looks_like_a_half_stay() -> None:
    text = r'{"a": "\ud83d\ude00", "b": "\\ud800", "c": "\\\ud83d\ude00"}'
    assert load_json(file(text)).data == {"a": "😀", "b": r"\ud800", "c": "\\😀"}
