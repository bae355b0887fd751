from __future__ import annotations

from textwrap import dedent

import pytest

from roce_lint.text.places import Note
from roce_lint.text.shell import parse_script

LEFT_OUT = "a quote or bracket is not closed; the line is left out"


def script(text: str):
    return parse_script(dedent(text).strip("\n").split("\n"))


def words(text: str) -> list[tuple]:
    return [command.words for command in script(text).commands]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mlnx_qos -i eth0", ("mlnx_qos", "-i", "eth0")),
        ("c 'a b' \"c d\" e\\ f", ("c", "a b", "c d", "e f")),
        ("c a'b'\"c\"d", ("c", "abcd")),
        ("c '' \"\"", ("c", "", "")),
        ('c "a\\"b\\\\ \\x" \'\\\'', ("c", 'a"b\\ \\x', "\\")),
        ("c a#b # comment", ("c", "a#b")),
        ("c --pfc=0,0,0,1 {} a=b", ("c", "--pfc=0,0,0,1", "{}", "a=b")),
        ("[ -f x ]", ("[", "-f", "x", "]")),
        ("c $'a b' $5x 5$", ("c", "a b", None, "5$")),
        ('c $x ${x} "$x" ${x:-1} ${#x}', ("c", None, None, None, None, None)),
        ("c $(hostname) `id` $((1+1)) \"a$(b 'c)')d\"", ("c", None, None, None, None)),
        ('c $1 $@ "$*" $? $# $$', ("c", None, None, None, None, None, None)),
        ("c *.conf mlx5_? a[12] ~/x {a,b} {1..3}", ("c", None, None, None, None, None, None)),
        ("c '*' \"mlx5_?\" '{a,b}' a~", ("c", "*", "mlx5_?", "{a,b}", "a~")),
        ("c <(x) @(a|b)", ("c", None, None)),
        ("c {{ dev }} '{{x}}'", ("c", None, "dev", None, None)),
        ("$MLNX -i eth0", (None, "-i", "eth0")),
        ("c $'\\n'", ("c", None)),
    ],
)
def test_words(line, expected):
    assert words(line) == [expected]


def test_commands_are_split_at_operators():
    assert words("a 1; b 2 && c 3 || d 4 | e 5 & f 6\ng 7") == [
        (name, number) for name, number in zip("abcdefg", "1234567", strict=True)
    ]


def test_a_continued_command_has_its_first_and_last_line():
    (command,) = script("""
        # set-up
        mlnx_qos -i ens1 \\
            --trust \\
            dscp
        """).commands
    assert command.words == ("mlnx_qos", "-i", "ens1", "--trust", "dscp")
    assert (command.number, command.last) == (2, 4)
    assert command.text == "mlnx_qos -i ens1 \\\n    --trust \\\n    dscp"


def test_a_quote_may_go_over_lines():
    found = script("c 'one\ntwo' x\nd")
    assert [(each.words, each.number) for each in found.commands] == [
        (("c", "one\ntwo", "x"), 1),
        (("d",), 3),
    ]
    assert found.notes == []


def test_an_open_quote_costs_its_line_and_no_other():
    found = script("""
        a 1
        echo don't; b 2
        c "3"
        d 4
        """)
    assert [each.words for each in found.commands] == [("a", "1"), ("c", "3"), ("d", "4")]
    assert found.notes == [Note(2, LEFT_OUT)]
    found = script("a 'x\nb 'y'\nc 'z'\nd 'x\ne \"\n")  # which of them is the odd one?
    assert [each.words for each in found.commands] == [("b", "y"), ("c", "z")]
    assert found.notes == [Note(1, LEFT_OUT), Note(4, LEFT_OUT), Note(5, LEFT_OUT)]


@pytest.mark.parametrize("opened", ["$(x", "`x", "${x", "$((x", '"$(x"', "[[ a", "X=(a", "<(a"])
def test_an_open_bracket_costs_its_line(opened):
    found = script(f"a 1\nc {opened if opened != '[[ a' else ';[[ a'}\nb 2")
    assert [each.words for each in found.commands] == [("a", "1"), ("b", "2")]
    assert found.notes == [Note(2, LEFT_OUT)]


def test_literal_variables_are_put_in():
    assert words("DEV=eth0; mlnx_qos -i $DEV \"${DEV}\" x$DEV.1 '$DEV' \\$DEV") == [
        ("mlnx_qos", "-i", "eth0", "eth0", "xeth0.1", "$DEV", "$DEV")
    ]


def test_unquoted_values_fall_apart_at_blanks():
    assert words('O=" -i  eth0 "; X=; mlnx_qos $O "$O" a${O}b $X "$X"') == [
        ("mlnx_qos", "-i", "eth0", " -i  eth0 ", "a", "-i", "eth0", "b", "")
    ]
    assert words('O="a b*"; c $O "$O"') == [("c", None, "a b*")]
    assert words('IFS=,; O="a b"; c $O') == [("c", None)]


@pytest.mark.parametrize(
    "before",
    [
        "X=$(hostname)",
        "X=1; if a; then X=2; fi",
        "X=1; a && X=2",
        "X=1; a || X=2",
        "X=1; case $1 in a) X=2;; esac",
        "X=1; while a; do X=2; done",
        "X=1; for i in $(a); do X=2; done",
        "X=1; for ((X=0; X<3; X++)); do :; done",
        "X=1; f() { X=2; }; f",
        "X=1; read -r X",
        "X=1; unset X",
        "X=1; \\unset X",
        "X=1; command unset X",
        "X=1; . /etc/os-release",
        "X=1; source ./env",
        "X=1; eval $Y",
        "X=1; ((X++))",
        "X=1; a $((X=2))",
        "X=1; : ${X:=2}",
        "X=1; printf -v X %s 2",
        "X=1; export $(grep -v '^#' env)",
        'X=1; declare "$Y=2"',
        "X=1; X=(1 2)",
        "X=1; X[1]=2",
        "X=1; X+=$Y",
        "declare -i X=1+1",
        "X=~/x",
        "X={{ dev }}",
        "for X in 1 $Y; do :; done",
    ],
)
def test_a_value_that_may_be_another_is_unknown(before):
    assert words(f"{before}\nlast $X")[-1] == ("last", None)


@pytest.mark.parametrize(
    ("before", "value"),
    [
        ("X=1; X=2", "2"),
        ("X=1; X+=2", "12"),
        ("X=a; Y=$X.b; X=$Y/c", "a.b/c"),
        ("X=1; (X=2)", "1"),
        ("X=1; { X=2; }", "2"),
        ("X=1; a | X=2", "1"),
        ("X=1; X=2 a", "1"),
        ("X=1; f() { local X=2; }; f", "1"),
        ("X=1; if a; then Y=2; fi", "1"),
        ("X=1; for i in a b; do X=$X$i; done", "1ab"),
        ("for X in a b; do :; done", "b"),
        ("export X=1", "1"),
        ('export "X=1 2"', "1 2"),
        ("readonly X=1", "1"),
        ("X=mlx5_*", "mlx5_*"),
        ("X=a:b~", "a:b~"),
    ],
)
def test_a_value_that_cannot_be_another_is_known(before, value):
    assert words(f'{before}\nlast "$X"')[-1] == ("last", value)


def test_inside_a_branch_its_own_variables_are_known():
    assert words("if a; then X=1; b $X; else b $X; X=2; b $X; fi") == [
        ("a",),
        ("b", "1"),
        ("b", None),
        ("b", "2"),
    ]


def test_a_function_knows_nothing_about_its_caller():
    assert words("X=1\nf() {\n  local Y=2\n  c $X $Y $1\n}\nX=3; c $X") == [
        ("c", None, "2", None),
        ("c", "3"),
    ]
