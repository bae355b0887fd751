from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.text import shell
from roce_lint.text.places import Note
from roce_lint.text.shell import Assignment, parse_env, parse_script

LEFT_OUT = "a quote or bracket is not closed; the line is left out"


def script(text: str):
    return parse_script(dedent(text).strip("\n").split("\n"))


def words(text: str) -> list[tuple]:
    return [command.words for command in script(text).commands]


def env(text: str) -> list[tuple]:
    return [
        (found.name, found.value, found.number, found.exported)
        for found in parse_env(text.split("\n"))
    ]


# -- words


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mlnx_qos -i eth0", ("mlnx_qos", "-i", "eth0")),
        ("c 'a b' \"c d\" e\\ f", ("c", "a b", "c d", "e f")),
        ("c a'b'\"c\"d", ("c", "abcd")),
        ("c '' \"\"", ("c", "", "")),
        ("c \"a\\\"b\\\\ \\x\" '\\'", ("c", 'a"b\\ \\x', "\\")),
        ("c a#b # comment", ("c", "a#b")),
        ("c --pfc=0,0,0,1 {} a=b", ("c", "--pfc=0,0,0,1", "{}", "a=b")),
        ("[ -f x ]", ("[", "-f", "x", "]")),
        ("c $'a b' $5x 5$", ("c", "a b", None, "5$")),
        ("c $x ${x} \"$x\" ${x:-1} ${#x}", ("c", None, None, None, None, None)),
        ("c $(hostname) `id` $((1+1)) \"a$(b 'c)')d\"", ("c", None, None, None, None)),
        ("c $1 $@ \"$*\" $? $# $$", ("c", None, None, None, None, None, None)),
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
        d '4
        e 5
        """)
    assert [each.words for each in found.commands] == [("a", "1"), ("c", "3"), ("e", "5")]
    assert found.notes == [Note(2, LEFT_OUT), Note(4, LEFT_OUT)]


@pytest.mark.parametrize("opened", ["$(x", "`x", "${x", "$((x", "\"$(x\"", "[[ a", "X=(a", "<(a"])
def test_an_open_bracket_costs_its_line(opened):
    found = script(f"a 1\nc {opened if opened != '[[ a' else ';[[ a'}\nb 2")
    assert [each.words for each in found.commands] == [("a", "1"), ("b", "2")]
    assert found.notes == [Note(2, LEFT_OUT)]


# -- variables


def test_literal_variables_are_put_in():
    assert words('DEV=eth0; mlnx_qos -i $DEV "${DEV}" x$DEV.1 \'$DEV\' \\$DEV') == [
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


# -- loops


def test_loops_over_literal_lists_are_unrolled():
    found = script("""
        for d in ens1 ens2; do
          mlnx_qos -i $d --trust dscp
        done
        """)
    assert [(each.words, each.number, each.conditional) for each in found.commands] == [
        (("mlnx_qos", "-i", "ens1", "--trust", "dscp"), 2, False),
        (("mlnx_qos", "-i", "ens2", "--trust", "dscp"), 2, False),
    ]


def test_loops_over_known_variables_and_in_each_other_are_unrolled():
    assert words('D="a b"\nfor d in $D\ndo for p in 3 4; do c $d $p; done; done') == [
        ("c", "a", "3"),
        ("c", "a", "4"),
        ("c", "b", "3"),
        ("c", "b", "4"),
    ]


@pytest.mark.parametrize(
    "head",
    [
        "for d in $(ls)",
        "for d in a $X",
        "for d in mlx5_*",
        'for d in "$@"',
        "for d",
        'for d in "${L[@]}"',
        "for ((d=0; d<3; d++))",
        "select d in a b",
        "while read d",
    ],
)
def test_other_loops_are_followed_once_with_the_variable_unknown(head):
    found = script(f"d=before; {head}; do c $d; done; e $d").commands
    assert [each.words for each in found[-2:]] == [("c", None), ("e", None)]
    assert [each.conditional for each in found[-2:]] == [True, False]


def test_an_empty_list_runs_nothing():
    assert words("for d in; do c $d; done; e") == [("e",)]


def test_unrolling_is_capped():
    loops = "".join(f"for v{n} in 1 2 3 4 5 6 7 8 9 10; do " for n in range(20))
    found = script(f"{loops} c; {'done;' * 20}")
    assert len(found.commands) < shell.STEP_LIMIT
    assert found.notes == [Note(1, "too many rounds or words; not followed from here on")]


def test_values_do_not_grow_without_bound():
    doubling = "X=0123456789\n" + "X=$X$X\n" * 60 + "c $X"
    assert words(doubling) == [("c", None)]
    found = script(f"X={'y' * 60_000}\n" + "c a$X\n" * 5_000)
    assert sum(len(each.words[1] or "") for each in found.commands) <= shell.WORK_LIMIT
    assert found.notes[-1].message == "too many rounds or words; not followed from here on"


# -- structure


@pytest.mark.parametrize(
    "text",
    [
        "if a; then c; fi",
        "if a; then b; elif d; then c; fi",
        "if a; then b; else c; fi",
        "case $x in a|b) b;; (*) c;; esac",
        "case x in a) c\nesac",
        "a && c",
        "a || c",
        "[[ a == b && ( d || e ) ]] && c",
        "((x > 1)) && c",
        "until a; do c; done",
        "f() { c; }",
        "function f { c; }",
        "f()\n(\nc\n)",
        "f() { if a; then c; fi; }",
    ],
)
def test_what_may_not_run_is_conditional(text):
    found = {each.words: each.conditional for each in script(f"{text}\nlast").commands}
    assert found[("c",)] is True
    assert found[("last",)] is False


def test_an_if_runs_its_first_condition_for_certain():
    assert [(each.words, each.conditional) for each in script("if a; then b; fi").commands] == [
        (("a",), False),
        (("b",), True),
    ]


def test_heredocs_are_skipped():
    found = script("""
        cat > /etc/nccl.conf <<'EOF'
        NCCL_IB_TC=106
        it's
        EOF
        tee x <<-END <<OTHER && b
        \tc
        \tEND
        d
        OTHER
        e <<< "f"
        """)
    assert [(each.words, each.number) for each in found.commands] == [
        (("cat",), 1),
        (("tee", "x"), 5),
        (("b",), 5),
        (("e",), 10),
    ]
    assert found.assignments == []
    assert found.notes == []


def test_an_endless_heredoc_is_noted():
    found = script("a\ncat <<EOF\nb\nc\n")
    assert [each.words for each in found.commands] == [("a",), ("cat",)]
    assert found.notes == [Note(2, 'the text up to "EOF" never ends')]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("a\ndone\nb", Note(2, '"done" closes nothing')),
        ("a\nb )", Note(2, '")" closes nothing')),
        ("a\nb;;", Note(2, '";;" where a command should be')),
        ("a\nif b", Note(2, '"if" without "then"')),
        ("a\nfor x in 1; do b", Note(2, '"for" without "done"')),
        ("a\n{ b", Note(2, '"{" without "}"')),
        ("a\ncase b", Note(2, '"case" without "in"')),
        ("a\n| b", Note(2, '"|" where a command should be')),
    ],
)
def test_what_does_not_fit_is_noted_and_the_rest_read(text, note):
    found = script(text)
    assert note in found.notes
    assert [each.words for each in found.commands][:1] == [("a",)]
    assert ("b",) in [each.words for each in found.commands] or "case" in text


def test_deep_nesting_is_noted():
    found = script("a\n" + "if " * 60)
    assert found.notes == [Note(2, "nests deeper than 50 levels; not read from here on")]
    assert [each.words for each in found.commands] == [("a",)]


# -- redirections, pipes, environment


def test_what_is_written_to_sysfs_is_kept():
    found = script("""
        for d in mlx5_0 mlx5_1; do
          echo 106 > /sys/class/infiniband/$d/tc/1/traffic_class 2> /dev/null
        done
        echo 1 >> "$F"
        """).commands
    assert [(each.words, each.stdout) for each in found] == [
        (("echo", "106"), ("/sys/class/infiniband/mlx5_0/tc/1/traffic_class",)),
        (("echo", "106"), ("/sys/class/infiniband/mlx5_1/tc/1/traffic_class",)),
        (("echo", "1"), (None,)),
    ]
    assert found[0].text == "echo 106 > /sys/class/infiniband/$d/tc/1/traffic_class 2> /dev/null"


@pytest.mark.parametrize(
    ("line", "stdin", "stdout"),
    [
        ("c", (), ()),
        ("c < a", ("a",), ()),
        ("c >a >b", (), ("a", "b")),
        ("c >| a", (), ("a",)),
        ("c 1>a 2>b 0<d", ("d",), ("a",)),
        ("c &> a", (), ("a",)),
        ("c >& a", (), ("a",)),
        ("c 2>&1 >&2 >&-", (), ()),
        ("c > *.x", (), (None,)),
        ("{ c; } > a", (), ("a",)),
        ("while :; do c; done < a", ("a",), ()),
        ("for i in 1; do { c > b; } < d; done > a", ("d",), ("b",)),
        ("> a c", (), ("a",)),
    ],
)
def test_targets(line, stdin, stdout):
    (command,) = [each for each in script(line).commands if each.words == ("c",)]
    assert (command.stdin, command.stdout) == (stdin, stdout)


def test_a_pipe_is_remembered():
    found = script("echo 106 | sudo tee /sys/x >/dev/null; a | b | c").commands
    assert [(each.words[0], each.piped) for each in found] == [
        ("echo", False),
        ("sudo", True),
        ("a", False),
        ("b", True),
        ("c", True),
    ]
    assert found[1].stdout == ("/dev/null",)
    inner = script("{ a | b; } > x").commands
    assert [each.stdout for each in inner] == [(), ("x",)]


def test_assignments():
    found = script("""
        A=1
        export B="2 3" C=$A D
        NCCL_IB_TC=106 E=$(x) mpirun -x F=4 ./a
        if x; then A=5; fi
        declare -x G=6
        export A
        set -a
        H=7
        """)
    assert found.assignments == [
        Assignment("A", "1", 1, exported=False),
        Assignment("B", "2 3", 2, exported=True),
        Assignment("C", "1", 2, exported=True),
        Assignment("D", None, 2, exported=True),
        Assignment("NCCL_IB_TC", "106", 3, exported=True),
        Assignment("E", None, 3, exported=True),
        Assignment("A", "5", 4, exported=False, conditional=True),
        Assignment("G", "6", 5, exported=True),
        Assignment("A", None, 6, exported=True),
        Assignment("H", "7", 8, exported=True),
    ]
    mpirun = found.commands[0]
    assert mpirun.words == ("mpirun", "-x", "F=4", "./a")
    assert mpirun.environment == (
        Assignment("NCCL_IB_TC", "106", 3, exported=True),
        Assignment("E", None, 3, exported=True),
    )


def test_a_script_in_a_string_is_left_to_the_caller():
    (command,) = script("sudo sh -c 'echo 106 > /sys/x'").commands
    assert command.words == ("sudo", "sh", "-c", "echo 106 > /sys/x")
    inner = parse_script(["echo 106 > /sys/x"]).commands
    assert (inner[0].words, inner[0].stdout) == (("echo", "106"), ("/sys/x",))


def test_a_script_that_is_too_long_is_read_in_part():
    lines = ["c " + "x" * 1000] * 2000
    found = parse_script(lines)
    assert len(found.commands) == shell.SCRIPT_LIMIT // 1003
    assert found.notes == [Note(1046, "the script is too long; not read from here on")]


def test_notes_are_capped():
    found = parse_script(["done"] * 100)
    assert len(found.notes) == 21
    assert found.notes[-1] == Note(21, "80 more such notes")


@given(st.text("ab$X='\"`\\ \n;|&<>(){}[]#!*~-/1", max_size=120))
def test_any_text_is_read(text):
    lines = text.split("\n")
    found = parse_script(lines)
    for command in found.commands:
        assert command.words or command.environment or "$" in command.text
        assert 1 <= command.number <= command.last <= len(lines)
        assert lines[command.number - 1].strip()
    parse_env(lines)


keywords = "if then else fi for X in do done case esac while { } ( ) ;; ; \n && || | f() [[ ]] (( )) <<E"


@given(st.lists(st.sampled_from(keywords.split(" ")), max_size=40))
def test_any_structure_is_read(parts):
    parse_script(" ".join(parts).split("\n"))


# -- environment files


def test_an_nccl_configuration():
    text = "# NCCL\nNCCL_IB_TC=106\nNCCL_IB_HCA==mlx5_0,mlx5_1\nNCCL_SOCKET_IFNAME=^lo,docker\n"
    assert env(text) == [
        ("NCCL_IB_TC", "106", 2, False),
        ("NCCL_IB_HCA", "=mlx5_0,mlx5_1", 3, False),
        ("NCCL_SOCKET_IFNAME", "^lo,docker", 4, False),
    ]


def test_quotes_comments_and_exports():
    text = "export A=1 # why\nB='x y'\nexport C=\"$A-$B\"\n; x\nD=a#b\nexport E='f"
    assert env(text) == [
        ("A", "1", 1, True),
        ("B", "x y", 2, False),
        ("C", "1-x y", 3, True),
        ("D", "a#b", 5, False),
        ("E", None, 6, True),
    ]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("K=a b", "a b"),
        ("K = a", "a"),
        ("K= a b # c", "a b"),
        ("K=", ""),
        ("K=it's", None),
        ("K=<changeme>", None),
        ("K=a|b", None),
        ("K=a;b", None),
        ("K=a&b", None),
        ("K=$UNSET", None),
        ("K=$(x)", None),
        ("K=(a b)", None),
        ("K={{ tc }}", None),
        ("K={{tc}}", None),
        ("K=a \\x", None),
    ],
)
def test_values_of_environment_files(line, value):
    assert env(f"A=1\n{line}\nB=2") == [
        ("A", "1", 1, False),
        ("K", value, 2, False),
        ("B", "2", 3, False),
    ]


def test_in_a_script_the_shell_decides():
    """`K=a b` runs b with K=a there: no value of K that holds for the file."""
    assert env("export A=1\nK=a b\n") == [("A", "1", 1, True), ("K", None, 2, False)]
    assert env("module load x\nK=a b\n") == [("K", None, 2, False)]


def test_guarded_exports_are_conditional():
    found = parse_env(["if [ -d /sys/x ]; then", "  export NCCL_IB_TC=106", "fi"])
    assert found == [Assignment("NCCL_IB_TC", "106", 2, exported=True, conditional=True)]
    (guarded,) = parse_env(['[ -z "$X" ] && export X=1'])
    assert guarded == Assignment("X", "1", 1, exported=True, conditional=True)


def test_what_is_in_a_heredoc_is_not_set():
    assert env("cat <<E\nA=1\nE\nexport B=2") == [("B", "2", 4, True)]


def test_real_environment_files(corpus: Path):
    """Every uncommented KEY=VALUE line of the captures gives one assignment on its line."""
    files = sorted(corpus.glob("host/nccl-env*")) + [corpus / "host/mori-qos.conf"]
    assert len(files) == 5
    for path in files:
        lines = path.read_text().split("\n")
        expected = [
            (line.removeprefix("export ").split("=")[0], number)
            for number, line in enumerate(lines, 1)
            if "=" in line and not line.startswith("#")
        ]
        assert [(found.name, found.number) for found in parse_env(lines)] == expected
