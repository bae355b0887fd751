from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.errors import ReadError
from roce_lint.text import yaml_nodes
from roce_lint.text.source import SourceFile
from roce_lint.text.tree import (
    Document,
    Note,
    TreeForm,
    form_of,
    json_places,
    load_json,
    load_toml,
    load_yaml,
    locate,
    locate_all,
)

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


def toml(given: SourceFile):
    return load_toml(given.name, given.text)


def refused(load, text: str) -> str:
    with pytest.raises(ReadError) as caught:
        load(file(text))
    return str(caught.value)


class Writer:
    """Writes a tree with random layout and records the place of each path."""

    def __init__(self, seed: int):
        self.text = ""
        self.places: dict[tuple, tuple[int, int]] = {}
        self.chance = random.Random(seed)  # noqa: S311 - layout, not secrets

    def here(self) -> tuple[int, int]:
        lines = self.text.split("\n")
        return len(lines), len(lines[-1]) + 1

    def blank(self) -> None:
        for _ in range(self.chance.randrange(3)):
            self.text += self.chance.choice(["", " ", "\n", "\r\n", "\t", "\n   "])

    def quoted(self, text: str, ascii_only: bool | None = None) -> str:
        if ascii_only is None:
            ascii_only = self.chance.random() < 0.5
        return json.dumps(text, ensure_ascii=ascii_only)

    def json(self, value, path: tuple = ()) -> None:
        if path == ():
            self.blank()
            self.places[()] = self.here()
        if isinstance(value, dict):
            members = list(value.items())
            if members and self.chance.random() < 0.3:  # a key that comes again later
                again = self.chance.choice(members)[0]
                members.insert(0, (again, {"gone": [1, {again: 2}]}))
            self.between("{", members, "}", lambda key, each: self.member(key, each, path))
        elif isinstance(value, list):
            self.between("[", list(enumerate(value)), "]", lambda n, each: self.item(n, each, path))
        else:
            self.text += self.quoted(value) if isinstance(value, str) else json.dumps(value)

    def between(self, opening: str, entries: list, closing: str, write) -> None:
        self.text += opening
        for number, (key, each) in enumerate(entries):
            self.text += "," if number else ""
            self.blank()
            write(key, each)
            self.blank()
        self.text += closing

    def member(self, key: str, value, path: tuple) -> None:
        for known in [known for known in self.places if known[: len(path) + 1] == (*path, key)]:
            del self.places[known]
        self.places[*path, key] = self.here()
        self.text += self.quoted(key)
        self.blank()
        self.text += ":"
        self.blank()
        self.json(value, (*path, key))

    def item(self, number: int, value, path: tuple) -> None:
        self.places[*path, number] = self.here()
        self.json(value, (*path, number))

    def yaml(self, value, indent: str = "", path: tuple = ()) -> None:
        """Block style; the text follows `key:` or `-`, or begins the document."""
        if isinstance(value, dict | list) and value:
            entries = value.items() if isinstance(value, dict) else enumerate(value)
            deeper = indent + " " * self.chance.randint(1, 4)
            for key, each in entries:
                self.text += f"\n{'' if path == () else deeper}"
                if isinstance(value, dict):
                    self.places[*path, key] = self.here()
                    self.text += self.quoted(key, False) + ": "
                else:
                    self.text += "- "
                    if not (isinstance(each, dict | list) and each):
                        self.places[*path, key] = self.here()
                self.yaml(each, deeper if path else "", (*path, key))
        else:
            self.text += self.quoted(value, False) if isinstance(value, str) else json.dumps(value)
        if self.chance.random() < 0.1:
            self.text += self.chance.choice(["  # comment", "\n# comment: {", "\n"])


texts = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ['"', "\\", "{", "|", ":"]
)
leaves = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | texts
trees = st.recursive(
    leaves,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(texts, below, max_size=4),
    max_leaves=25,
)
documents = st.lists(trees, max_size=5) | st.dictionaries(texts, trees, max_size=5)
printable = st.text("aä😀:#-'{[*&!%@ \t\"\\", max_size=5)
yaml_trees = st.recursive(
    printable,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(printable, below, max_size=4),
    max_leaves=25,
)
seeds = st.integers(0, 2**32)


@given(documents, seeds)
def test_every_path_of_a_json_document_is_located_where_it_was_written(tree, seed):
    writer = Writer(seed)
    writer.json(tree)
    assert load_json(file(writer.text)).data == tree
    assert locate_all(writer.text, TreeForm.JSON, writer.places) == writer.places


@given(documents, seeds, st.data())
def test_a_path_of_a_spoilt_document_has_the_place_that_the_scan_of_all_gives(tree, seed, data):
    writer = Writer(seed)
    writer.json(tree)
    cut = data.draw(st.integers(0, len(writer.text)))
    text = writer.text[:cut] + data.draw(st.sampled_from(["", '"', "}", "]", ",", "x"]))
    found = json_places(text)
    keys = writer.chance.choice(list(writer.places))
    whole = locate_all(text, TreeForm.JSON, [keys])[keys]
    assert found.place(keys) in (whole, writer.places[keys])


@given(documents, seeds)
def test_one_path_alone_is_located_like_all_together(tree, seed):
    writer = Writer(seed)
    writer.json(tree)
    found = json_places(writer.text)
    assert {keys: found.place(keys) for keys in writer.places} == writer.places
    keys = writer.chance.choice(list(writer.places))
    assert locate(writer.text, TreeForm.JSON, keys) == writer.places[keys]


@given(st.dictionaries(printable, yaml_trees, min_size=1, max_size=5), seeds)
def test_every_path_of_a_yaml_document_is_located_where_it_was_written(tree, seed):
    writer = Writer(seed)
    writer.yaml(tree)
    assert [each.data for each in load_yaml(file(writer.text))] == [tree]
    assert locate_all(writer.text, TreeForm.YAML, writer.places) == writer.places


@given(documents, seeds, st.data())
def test_a_cut_off_json_document_is_said_to_be_cut_off(tree, seed, data):
    writer = Writer(seed)
    writer.json(tree)
    begin = len(writer.text) - len(writer.text.lstrip())
    cut = data.draw(st.integers(begin + 1, len(writer.text) - 1))
    text = writer.text[:cut]
    last = text.rstrip(" \t\r\n").count("\n") + 1
    message = refused(load_json, text)
    assert "the file ends inside" in message
    assert message.startswith(f"leaf1.json:{last}: ")


@given(st.text(max_size=200) | st.text('{}[]",:\\ \n1ent-.#$', max_size=60))
def test_any_text_is_read_or_refused(text):
    places = []
    for load in (load_json, load_yaml, toml):
        try:
            load(file(text))
        except ReadError as error:
            places.append(str(error.location))
    assert all(re.fullmatch(r"leaf1\.json:[1-9]\d*", place) for place in places)
    locate(text, TreeForm.JSON, ("a", 0))
    form_of(text)


def test_members_are_located_at_their_key_and_elements_at_their_value():
    assert locate(PORTS, TreeForm.JSON, ()) == (1, 1)
    assert locate(PORTS, TreeForm.JSON, ("PORT", "Ethernet0", "mtu")) == (3, 23)
    assert locate(PORTS, TreeForm.JSON, ("PORT", "Ethernet0", "lanes", 1)) == (3, 51)
    assert locate(PORTS, TreeForm.JSON, ("PORT", "Ethernet4", "mtu")) == (5, 13)


def test_a_minified_file_is_located_by_column():
    text = json.dumps(json.loads(PORTS), separators=(",", ":"))
    assert locate(text, TreeForm.JSON, ("PORT", "Ethernet4", "mtu")) == (1, 64)


def test_what_does_not_exist_has_the_place_of_its_nearest_ancestor():
    assert locate(PORTS, TreeForm.JSON, ("PORT", "Ethernet4", "fec", "x")) == (4, 9)
    assert locate(PORTS, TreeForm.JSON, ("PORT", "Ethernet0", "lanes", 2)) == (3, 38)
    assert locate(PORTS, TreeForm.JSON, ("PORT", "Ethernet0", "mtu", "9")) == (3, 23)
    assert locate(PORTS, TreeForm.JSON, ("QUEUE",)) == (1, 1)
    assert locate("a:\n  - b: 1\n", TreeForm.YAML, ("a", 0, "c")) == (2, 5)
    assert locate("a:\n  - b: 1\n", TreeForm.YAML, ("a", 7)) == (1, 1)
    assert locate("a: 1\n", TreeForm.YAML, ("a",), document=3) == (1, 1)


def test_a_byte_order_mark_is_tolerated_and_not_counted():
    assert load_json(file('\ufeff{"a": 1}')).data == {"a": 1}
    assert locate('\ufeff{"a": 1}', TreeForm.JSON, ("a",)) == (1, 2)
    assert load_yaml(file("\ufeffa: 1\n"))[0].data == {"a": "1"}
    assert locate("\ufeffa: 1\n", TreeForm.YAML, ("a",)) == (1, 1)
    assert toml(file("\ufeffa = 1\n")) == {"a": 1}


def test_depth_below_the_limit_is_read():
    assert load_json(file("[" * 100 + "]" * 100)).data
    assert load_yaml(file("[" * 100 + "]" * 100))[0].data


def test_yaml_scalars_stay_text():
    text = "a: on\nb: 0123\nc: null\nd: 1.0\ne:\nf: ''\ng: ~\nh: 2026-10-07\ni: {}\n"
    assert load_yaml(file(text))[0].data == {
        "a": "on",
        "b": "0123",
        "c": "null",
        "d": "1.0",
        "e": None,
        "f": "",
        "g": "~",
        "h": "2026-10-07",
        "i": {},
    }


def test_yaml_documents_have_paths_of_their_own():
    text = "a: 1\n---\n- b\n- a: 2\n---\n---\nc: 3\n"
    trees = load_yaml(file(text))
    assert [tree.data for tree in trees] == [{"a": "1"}, ["b", {"a": "2"}], None, {"c": "3"}]
    assert [tree.root for tree in trees] == [(), (Document(1),), (Document(2),), (Document(3),)]
    assert locate(text, TreeForm.YAML, (1, "a"), document=1) == (4, 3)
    assert locate_all(text, TreeForm.YAML, [(*trees[3].root, "c"), ("a",)]) == {
        (Document(3), "c"): (7, 1),
        ("a",): (1, 1),
    }


def test_a_yaml_file_of_comments_has_no_documents():
    assert load_yaml(file("# nothing\n")) == []
    assert load_yaml(file("")) == []


def test_doubled_yaml_keys_are_noted_per_document():
    text = "a: 1\nb: 2\na: {x: 3}\n---\nc: 1\n\nc: 2\n"
    first, second = load_yaml(file(text))
    assert first.data == {"a": {"x": "3"}, "b": "2"}
    assert first.notes == [Note(3, '"a" comes again; the last one counts')]
    assert second.notes == [Note(7, '"c" comes again; the last one counts')]
    assert locate(text, TreeForm.YAML, ("a", "x")) == (3, 5)


def test_aliases_and_merge_keys_show_the_line_that_states_the_value():
    text = (
        "base: &base\n  mtu: 9000\n  speed: 100\nport: \n  <<: *base\n  speed: 400\n"
        "other: *base\nmany: {<<: [*base, {fec: rs, mtu: 1}]}\n"
    )
    data = load_yaml(file(text))[0].data
    assert data["port"] == {"speed": "400", "mtu": "9000"}
    assert data["other"] == {"mtu": "9000", "speed": "100"}
    assert data["many"] == {"mtu": "9000", "speed": "100", "fec": "rs"}
    assert locate(text, TreeForm.YAML, ("port", "mtu")) == (2, 3)
    assert locate(text, TreeForm.YAML, ("port", "speed")) == (6, 3)
    assert locate(text, TreeForm.YAML, ("other",)) == (7, 1)
    assert locate(text, TreeForm.YAML, ("other", "speed")) == (3, 3)


def test_lines_of_yaml_are_counted_by_newline_only():
    text = "a: 'x\u2028y'\r\nb: \u0085\r\nc: 1\r\n"
    assert locate(text, TreeForm.YAML, ("c",)) == (3, 1)


def test_a_yaml_bomb_is_refused_before_it_unfolds():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    message = refused(load_yaml, "\n".join(lines))
    assert message == "leaf1.json:6: holds more than 1000000 values, with aliases expanded"


def test_the_node_limit_counts_aliases(monkeypatch):
    monkeypatch.setattr(yaml_nodes, "NODE_LIMIT", 9)
    assert load_yaml(file("a: &a [x, y]\nb: *a\n"))[0].data == {"a": ["x", "y"], "b": ["x", "y"]}
    assert refused(load_yaml, "a: &a [x, y]\nb: *a\nc: 1\n").startswith("leaf1.json:3: holds more")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a:\n  - !!python/object:os.system x",
            "leaf1.json:2: tag tag:yaml.org,2002:python/object",
        ),
        ("a:\n  !vault |\n    63", "leaf1.json:2: tag !vault is not accepted"),
        ("a: &a\n  b: *a", "leaf1.json:2: alias *a names no earlier node, or itself"),
        ("a: 1\nb: *c", "leaf1.json:2: alias *c names no earlier node, or itself"),
        ("a: 1\n? [b]\n: c", "leaf1.json:2: a key must be a single word or text"),
        (
            "a: 1\nb: {{ mtu }}",
            "leaf1.json:2: a key must be a single word or text (a template must be rendered first)",
        ),
        ("a: 1\n" + "[" * 200, "leaf1.json:2: not valid YAML"),
        ("a: 1\nb: " + "[" * 200, "leaf1.json:2: nests deeper than 100 levels"),
        ("x: &a " + "[" * 60 + "]" * 60 + "\ny: " + "[" * 60 + "*a", "leaf1.json:2: nests deeper"),
        ("é: 1\n😀: \x1b", "leaf1.json:2: not valid YAML: control characters are not allowed"),
        ("é: 1\na: \udc80", "leaf1.json:2: not valid UTF-8"),
        ("a: 1\nb: c: d", "leaf1.json:2: not valid YAML: mapping values are not allowed"),
        ("a: 'x\n\n", "leaf1.json:3: not valid YAML: while scanning a quoted scalar"),
    ],
)
def test_what_is_no_plain_yaml_is_refused_with_its_line(text, message):
    assert refused(load_yaml, text).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = \n", "leaf1.json:2: not valid TOML: Invalid value"),
        ("a = 1\n[t\n", "leaf1.json:2: not valid TOML: Expected ']' at the end of a table"),
        ("a = 1\nb = [1,\n\n", "leaf1.json:2: not valid TOML: "),
        ("a = " + "[" * 100_000, "leaf1.json:1: nests deeper than can be read"),
        (f"a = 1\nb = {'9' * 5000}\n", "leaf1.json:2: not valid TOML: a number of more than 64"),
        (f"a = 1\n[t]\nb = [0x{'f' * 5000}]\n", "leaf1.json:3: not valid TOML: a number of more"),
    ],
)
def test_what_is_no_toml_is_refused_with_its_line(text, message):
    assert refused(toml, text).startswith(message)


def test_toml_is_read():
    assert toml(file('[files]\r\n"a.cfg" = "leaf1"\r\n')) == {"files": {"a.cfg": "leaf1"}}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"a": 1}', TreeForm.JSON),
        ("[1]", TreeForm.JSON),
        ("{a: 1}", TreeForm.YAML),
        ("a: 1\n", TreeForm.YAML),
        ('data: |\n  x\nmore:\n{"a": 1}\n', TreeForm.JSON),
        ('config:\n  "json":\n    {"a": 1}\n', TreeForm.YAML),
        ("", TreeForm.YAML),
    ],
)
def test_the_form_of_a_text(text, form):
    assert form_of(text) is form


def test_real_json_and_yaml_files_are_located(corpus: Path):
    """Every member of real files is found on a line that shows its key."""
    files = [*corpus.glob("*/*.json"), *corpus.glob("*/*.yaml"), *corpus.glob("*/*.yml")]
    read = 0
    for path in files:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        source = SourceFile.of(path.name, text)
        try:
            found = [load_json(source)] if path.suffix == ".json" else load_yaml(source)
        except ReadError:
            continue  # fragments and templates
        read += 1
        lines = source.lines()
        paths = [(*tree.root, *keys) for tree in found for keys in members(tree.data)]
        for keys, (line, column) in locate_all(text, found[0].form, paths).items():
            shown = lines[line - 1][column - 1 :]
            assert str(keys[-1]) in (
                shown,
                shown.strip("\"'")[: len(str(keys[-1]))],
                json_key(shown),
            )
    assert read >= 60


def json_key(shown: str) -> str:
    return str(json.JSONDecoder().raw_decode(shown)[0]) if shown.startswith('"') else ""


def members(data, path: tuple = ()):
    entries = data.items() if isinstance(data, dict) else []
    for key, value in entries:
        yield (*path, key)
        yield from members(value, (*path, key))
    for number, value in enumerate(data if isinstance(data, list) else []):
        yield from members(value, (*path, number))
