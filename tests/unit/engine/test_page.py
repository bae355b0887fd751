"""Format of rule pages, and messages for invalid ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.engine.page import HEADINGS, Block, load_pages, parse_page
from roce_lint.errors import RulePageError

HEAD = """\
---
id: MTU001
name: mtu-too-small
severity: error
check: mtu.too_small
since: 0.1.0
stage: stable
---
"""
TITLE = "\n# A hop is too small\n"
BODY = TITLE + "".join(f"\n## {heading}\n\nText.\n" for heading in HEADINGS)


def refusal(text: str) -> str:
    with pytest.raises(RulePageError) as caught:
        parse_page(text, "MTU001.md")
    return str(caught.value)


def test_a_page_says_what_its_rule_is() -> None:
    page = parse_page(HEAD + BODY, "MTU001.md")
    assert (page.id, page.family, page.severity) == ("MTU001", "MTU", Severity.ERROR)
    assert page.title == "A hop is too small"
    assert page.head.covers == ()
    assert page.head.params == {}
    assert page.body == BODY.strip() + "\n"
    assert page.blocks == ()


def test_covers_and_params() -> None:
    head = HEAD.replace(
        "stage: stable\n", "stage: preview\ncovers: [MTU002]\nparams:\n  share: 0.6\n"
    )
    page = parse_page(head + BODY, "MTU001.md")
    assert page.head.covers == ("MTU002",)
    assert page.head.stage == "preview"
    # Values are text until the check's own model takes them.
    assert page.head.params == {"share": "0.6"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# no front matter\n", "MTU001.md: a rule page starts with front matter"),
        ("---\nid: MTU001\n", "MTU001.md: a rule page starts with front matter"),
        (HEAD.replace("id: MTU001", "id: MTU1") + BODY, "MTU001.md: id: "),
        (HEAD.replace("id: MTU001", "id: mtu001") + BODY, "MTU001.md: id: "),
        (HEAD.replace("mtu-too-small\n", "MtuTooSmall\n") + BODY, "MTU001.md: name: "),
        (HEAD.replace("mtu-too-small\n", "small\n") + BODY, "MTU001.md: name: "),
        (HEAD.replace("error", "fatal") + BODY, "MTU001.md: severity: "),
        (HEAD.replace("stable", "beta") + BODY, "MTU001.md: stage: "),
        (HEAD.replace("name: mtu-too-small\n", "") + BODY, "MTU001.md: name: Field required"),
        (HEAD.replace("since", "sins") + BODY, "MTU001.md: sins: Extra inputs"),
        (HEAD.replace("stage", "owner: me\nstage") + BODY, "MTU001.md: owner: Extra inputs"),
        (HEAD.replace("since: 0.1.0", "since: [0.1.0"), "MTU001.md"),
        (HEAD + BODY.replace("# A hop is too small", ""), "the page has no title"),
    ],
)
def test_a_wrong_head_is_refused(text: str, says: str) -> None:
    assert says in refusal(text)


@pytest.mark.parametrize(
    "body",
    [
        BODY.replace("## Why it matters", "## Why"),
        BODY + "\n## More\n",
        BODY.replace("## What is wrong", "## X").replace("## Why it matters", "## What is wrong"),
    ],
)
def test_headings_are_fixed(body: str) -> None:
    assert refusal(HEAD + body).startswith("MTU001.md: headings are [")


def test_a_page_of_a_site_needs_a_head_and_a_title_only() -> None:
    head = HEAD.replace("since: 0.1.0\nstage: stable\n", "")
    page = parse_page(head + TITLE, "MTU001.md")
    assert (page.title, page.head.stage) == ("A hop is too small", "stable")
    page = parse_page(HEAD + BODY.replace("## Why it matters\n", ""), "MTU001.md")
    assert page.section("Why it matters") == ""


def test_a_heading_of_an_earlier_version_is_taken_for_the_new_one() -> None:
    page = parse_page(HEAD + BODY.replace("How to fix", "How to put it right"), "MTU001.md")
    assert page.section("How to fix") == "Text."


def test_all_that_is_wrong_with_a_page_is_said_at_once() -> None:
    head = HEAD.replace("id: MTU001", "id: mtu1").replace("error", "fatal")
    body = BODY.replace("# A hop is too small\n", "").replace("## Why it matters", "## Why")
    body = body.replace("Text.", "```eos bad files=x\nx\n```", 1) + "\n```text\nopen\n"
    said = refusal(head + body).splitlines()
    assert [line.split(": ", 1)[1][:12] for line in said] == [
        "id: String s", "severity: In", "the page has", "headings are", "example bloc",
        "a fenced blo",
    ]  # fmt: skip


def test_all_pages_that_are_wrong_are_said_at_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(HEAD.replace("error", "fatal") + BODY)
    with pytest.raises(RulePageError) as caught:
        load_pages([tmp_path])
    first, second = str(caught.value).splitlines()
    assert "a.md: severity" in first
    assert "b.md: severity" in second


def test_a_heading_inside_a_block_is_none() -> None:
    page = parse_page(HEAD + BODY.replace("Text.", "```text\n## Not a heading\n```", 1), "p.md")
    assert page.section("Why it matters") == "Text."


def test_sections_end_at_the_next_heading() -> None:
    page = parse_page(HEAD + BODY.replace("Text.", "One.\n\nTwo.", 1), "p.md")
    assert page.section("What is wrong") == "One.\n\nTwo."
    assert page.section("No such heading") == ""


def with_blocks(*blocks: str) -> str:
    example = "## Example\n\n" + "\n".join(blocks)
    return HEAD + BODY.replace("## Example\n\nText.", example)


def test_blocks_become_files() -> None:
    page = parse_page(
        with_blocks(
            "```eos bad file=leaf1.cfg expect=2,5 case=x\nhostname leaf1\nmtu 1500\n```",
            "```yaml good file=links.yaml\n- [a:b, c:d]\n```",
            "```text\nno file of an example\n```",
        ),
        "p.md",
    )
    bad, good = page.blocks
    assert bad == Block(
        "eos", "bad", "leaf1.cfg", (2, 5), "hostname leaf1\nmtu 1500\n", bad.line, "x"
    )
    assert (good.word, good.file, good.expect, good.case) == ("good", "links.yaml", (), "")
    # `line` is the fence: line n of the block is line + n of the page.
    lines = with_blocks("```eos bad file=leaf1.cfg\nhostname leaf1\n```").split("\n")
    block = parse_page("\n".join(lines), "p.md").blocks[0]
    assert lines[block.line - 1] == "```eos bad file=leaf1.cfg"
    assert lines[block.line] == "hostname leaf1"


def test_a_longer_fence_may_hold_a_shorter_one() -> None:
    page = parse_page(with_blocks("````md bad file=a.md\n```\nx\n```\n````"), "p.md")
    assert page.blocks[0].text == "```\nx\n```\n"


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("```eos bad\nx\n```", "example block expects file=NAME"),
        ("```eos bad file=a lines=3\nx\n```", "example block expects file=NAME"),
        ("```eos bad file=a strictly\nx\n```", "example block expects file=NAME"),
    ],
)
def test_a_wrong_block_is_refused_with_its_line(block: str, says: str) -> None:
    text = with_blocks(block)
    line = text.split("\n").index(block.partition("\n")[0]) + 1
    assert refusal(text).startswith(f"MTU001.md:{line}: {says}")


def test_a_block_that_never_ends_is_refused() -> None:
    text = HEAD + BODY.replace("## Sources\n\nText.\n", "## Sources\n\n```eos bad file=a\nx\n")
    assert "a fenced block is not closed" in refusal(text)


def page_text(rule: str, name: str) -> str:
    return HEAD.replace("MTU001", rule).replace("mtu-too-small", name) + BODY


def test_pages_are_found_in_folders_below_and_sorted(tmp_path: Path) -> None:
    for rule, folder in (("PFC001", "pfc"), ("MTU002", "mtu"), ("MTU001", "mtu")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{rule}.md").write_text(page_text(rule, f"fault-of-{rule.lower()}"))
    (tmp_path / "README.md").write_text("no rule page")
    assert [page.id for page in load_pages([tmp_path])] == ["MTU001", "MTU002", "PFC001"]
    assert load_pages([]) == []


@pytest.mark.parametrize(
    ("rule", "name"), [("MTU001", "another-name"), ("MTU009", "mtu-too-small")]
)
def test_two_pages_with_one_id_or_name_are_refused(tmp_path: Path, rule: str, name: str) -> None:
    (tmp_path / "a.md").write_text(page_text("MTU001", "mtu-too-small"))
    (tmp_path / "b.md").write_text(page_text(rule, name))
    with pytest.raises(RulePageError, match=f"{rule} {name} is also declared by .*a.md"):
        load_pages([tmp_path])


def test_a_page_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RulePageError, match=r"a\.md: cannot be read"):
        load_pages([tmp_path])
