"""Internals of TTP that roce_lint.text.extract uses. A new version of TTP has to pass this first."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from roce_lint.text import extract

TEMPLATE = """<template>
<group name="port*">
port {{ name | _start_ }} {{ ignore }}
  rate 2 {{ the-rate | contains("1") | _exact_ }}
  up {{ up | set("yes") }}
  speed {{ speed | re("SPEED") }}
{{ _line_ }}
! {{ _end_ }}
<group name="peer*">
  peer {{ peer | upper }}
</group>
</group>
</template>"""


@pytest.fixture(scope="module")
def port():
    module, glue = extract._ttp()
    made = module._template_class(template_text=TEMPLATE, ttp_vars={"SPEED": r"\d+G"}, _ttp_=glue)
    assert len(made.groups) == 1
    return made.groups[0]


def test_the_version_is_the_one_that_was_read():
    assert version("ttp") == "0.10.1"


def test_groups(port):
    assert (port.path, port.defaults, port.funcs, port.outputs) == (["port*"], {}, [], [])
    assert [child.path for child in port.children] == [["port*", "peer*"]]


def test_every_template_line_is_one_regex(port):
    def seen(compiled):
        return compiled["REGEX"].pattern, compiled["ACTION"], compiled["IS_LINE"]

    tail = r"[\t ]*(?=\n|\r\n)"
    assert [seen(each) for each in port.start_re] == [
        (r"\nport[ \t]+(?P<name>(?:\S+))[ \t]+\S+" + tail, "start", False)
    ]
    assert [seen(each) for each in port.re] == [
        (r"\n  rate[ \t]+2[ \t]+(?P<the_rate>(?:\S+))" + tail, "add", False),
        (r"\n  up" + tail, "add", False),
        (r"\n  speed[ \t]+(?P<speed>(?:\d+G))" + tail, "add", False),
        (r"\n(?P<_line_>(?:.+))" + tail, "join", True),
    ]
    assert [seen(each) for each in port.end_re] == [(r"\n!" + tail, "end", False)]
    assert [seen(each)[1] for each in port.children[0].start_re] == ["start"]


def test_variables_and_their_functions(port):
    rate, up, *_ = port.re
    assert sorted(rate["VARIABLES"]) == ["the-rate", "the_rate"]
    variable = rate["VARIABLES"]["the_rate"]
    assert (variable.var_name, variable.var_name_original) == ("the_rate", "the-rate")
    assert variable.functions == [{"name": "contains", "args": ("1",), "kwargs": {}}]
    assert up["VARIABLES"]["up"].functions == [
        {"name": "set", "args": ("yes",), "kwargs": {"match_line": "\n  up"}}
    ]


def test_functions_take_a_value_and_give_a_value_and_a_verdict():
    assert extract._function("contains")("abc", "b") == ("abc", True)
    assert extract._function("contains")("abc", "d") == ("abc", False)
    assert extract._function("set")("\n  up", "yes", match_line="\n  up") == ("yes", None)
    assert extract._function("upper")("a") == ("A", None)


def test_every_function_that_templates_may_use_exists():
    _, glue = extract._ttp()
    matched = {name for name in glue["match"] if extract.FUNCTIONS.fullmatch(name)}
    methods = {name for name in dir(str) if extract.FUNCTIONS.fullmatch(name)}
    assert sorted(methods - matched) == [
        "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rstrip", "strip", "upper",
    ]  # fmt: skip
    assert sorted(matched) == [
        "append", "contains", "contains_re", "endswith_re", "equal", "exclude", "exclude_re",
        "isdigit", "joinmatches", "notdigit", "notendswith_re", "notequal", "notstartswith_re",
        "prepend", "replaceall", "resub", "set", "startswith_re", "truncate",
    ]  # fmt: skip
