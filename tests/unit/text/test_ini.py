from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roce_lint.nos.linux.declared.networkd import Entry, parse_ini


def read(text: str):
    return list(parse_ini(text.split("\n")))


def test_sections_entries_and_comments():
    found = read(
        "# unit\n[Unit]\nDescription = RoCE set-up\n\n[Service]\n; old\n  Type=oneshot  \n"
    )
    assert found == [
        Entry("Unit", "Description", "RoCE set-up", 3),
        Entry("Service", "Type", "oneshot", 7),
    ]


def test_repeated_keys_stay_in_order_and_an_empty_value_is_kept():
    found = read("[Service]\nExecStart=\nExecStart=/bin/a\nExecStart=/bin/b -x=1\n")
    assert [(entry.value, entry.number) for entry in found] == [
        ("", 2),
        ("/bin/a", 3),
        ("/bin/b -x=1", 4),
    ]


def test_a_backslash_continues_the_line_over_comments():
    found = read(
        "[Service]\nExecStart=mlnx_qos -i ens1 \\\n# why\n   --trust=dscp\\\n\nType=oneshot"
    )
    assert found == [
        Entry("Service", "ExecStart", "mlnx_qos -i ens1  --trust=dscp", 2),
        Entry("Service", "Type", "oneshot", 6),
    ]


def test_an_escaped_backslash_continues_nothing():
    assert read("a=x\\\\\nb=1") == [Entry("", "a", "x\\\\", 1), Entry("", "b", "1", 2)]


def test_a_continued_last_line_is_kept():
    assert read("a=1\nb=x\\") == [Entry("", "a", "1", 1), Entry("", "b", "x", 2)]


def test_comment_marks_inside_a_value_are_part_of_it():
    assert read("[ipv4]\ndns=1.1.1.1;8.8.8.8; # both") == [
        Entry("ipv4", "dns", "1.1.1.1;8.8.8.8; # both", 2)
    ]


def test_bad_lines_have_no_key():
    assert read("[ethernet]\nmtu 9000\n=5\n[broken\nmtu=1500\n[]\n") == [
        Entry("", "", "mtu 9000", 2),
        Entry("", "", "=5", 3),
        Entry("", "", "[broken", 4),
        Entry("", "mtu", "1500", 5),  # not credited to [ethernet]
        Entry("", "", "[]", 6),
    ]


def test_a_byte_order_mark_is_no_part_of_the_first_line():
    assert read("\ufeff[Match]\nName=ens*") == [Entry("Match", "Name", "ens*", 2)]


def test_an_empty_file_states_nothing():
    assert list(parse_ini([])) == read("") == []


@given(st.lists(st.text("ab=[]#;\\ \t\x00\ufeff", max_size=8), max_size=12))
def test_every_written_line_is_accounted_for_once(lines):
    found = list(parse_ini(lines))
    numbers = [entry.number for entry in found]
    assert numbers == sorted(set(numbers) & set(range(1, len(lines) + 1)))
    assert all(entry.key == entry.key.strip() for entry in found)
    assert all(entry.key or entry.value for entry in found)
