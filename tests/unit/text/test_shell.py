from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.text import shell
from roce_lint.text.environment import parse_env
from roce_lint.text.places import Note
from roce_lint.text.shell import Assignment, parse_script


def script(text: str):
    return parse_script(dedent(text).strip("\n").split("\n"))


def words(text: str) -> list[tuple]:
    return [command.words for command in script(text).commands]


def env(text: str) -> list[tuple]:
    return [
        (found.name, found.value, found.number, found.exported)
        for found in parse_env(text.split("\n"))
    ]


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
        ("a\nb;;", Note(2, "a command is missing here")),
        ("a\nif b", Note(2, '"if" without "then"')),
        ("a\nfor x in 1; do b", Note(2, '"for" without "done"')),
        ("a\n{ b", Note(2, '"{" without "}"')),
        ("a\ncase b", Note(2, '"case" without "in"')),
        ("a\n| b", Note(2, "a command is missing here")),
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


keywords = (
    "if then else fi for X in do done case esac while { } ( ) ;; ; \n && || | f() [[ ]] (( )) <<E"
)


@given(st.lists(st.sampled_from(keywords.split(" ")), max_size=40))
def test_any_structure_is_read(parts):
    parse_script(" ".join(parts).split("\n"))


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
    """`K=a b` runs b with K=a: the file sets no value of K."""
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
    files = [*sorted(corpus.glob("host/nccl-env*")), corpus / "host/mori-qos.conf"]
    assert len(files) == 5
    for path in files:
        lines = path.read_text().split("\n")
        expected = [
            (line.removeprefix("export ").split("=")[0], number)
            for number, line in enumerate(lines, 1)
            if "=" in line and not line.startswith("#")
        ]
        assert [(found.name, found.number) for found in parse_env(lines)] == expected
