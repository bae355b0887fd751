"""The page: its texts, drawing and counts; nothing in it can run or load."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import roce_lint
from roce_lint.engine.finding import Diagnostic, Occurrence, Severity, Suppression, UnknownGroup
from roce_lint.pipeline import ClassSummary, Report
from roce_lint.report import render
from tests.conftest import ROOT, Golden
from tests.unit.report import sample
from tests.unit.report.clos import CLASS, built
from tests.unit.report.sample import HOSTILE, MTU, OPTIONS, PFC, WAIVED, device, place, report

GOLDEN = Path(__file__).parent / "golden"
ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
VOID = {"meta", "input", "path", "rect"}


class Page(HTMLParser):
    """A page taken apart; a tag that is not closed where it should be is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []  # the tag it stands in, and the text
        self.policy = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        assert len(named) == len(attrs), tag
        self.tags.append((tag, named))
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = named["content"] or ""
        if tag not in VOID or (tag == "path" and not self._closes(tag)):
            self.open.append(tag)

    def _closes(self, tag: str) -> bool:
        return (self.get_starttag_text() or "").endswith("/>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        """Attributes of all tags of a kind; a class is one of several words."""
        return [
            named
            for found, named in self.tags
            if found == tag
            and all(
                value in (named.get(key.rstrip("_")) or "").split() for key, value in wanted.items()
            )
        ]

    def read(self) -> str:
        """Visible text: no style, no script, blanks collapsed."""
        return " ".join(
            " ".join(text for tag, text in self.texts if tag not in ("style", "script")).split()
        )


def page(made: Report, **options: Any) -> Page:
    return Page(render("html", made, replace(OPTIONS, **options)))


def outline(found: Page) -> str:
    """Tags that carry structure, and all texts, a line each: the page without its looks."""
    lines = []
    kept = {"section", "article", "details", "table", "svg", "nav", "header", "main", "footer"}
    for tag, named in found.tags:
        if tag in kept:
            words = [f"{key}={value}" for key, value in named.items() if key in ("id", "class")]
            words += [f"{key}={value}" for key, value in named.items() if key.startswith("data-")]
            lines.append(" ".join([tag, *words]))
    lines.append("")
    lines += [" ".join(text.split()) for tag, text in found.texts if tag not in ("style", "script")]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("sample", report),
        ("clean", sample.clean),
        (
            "fabric",
            lambda: built(faults=[("leaf0-0", "Up0", ERROR), ("leaf0-1", "Host0-1", WARNING)]),
        ),
    ],
)
def test_what_is_on_the_page(golden: Golden, name: str, made: Any) -> None:
    golden.check(GOLDEN / f"page-{name}.txt", outline(page(made())))


# ------------------------------------------------------------------------- nothing acts or loads


def digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_only_our_own_style_and_script_may_act() -> None:
    found = page(report())
    ((_, style),) = [entry for entry in found.texts if entry[0] == "style"]
    ((_, script),) = [entry for entry in found.texts if entry[0] == "script"]
    assert found.policy.split("; ") == [
        "default-src 'none'",
        f"style-src '{digest(style)}'",
        f"script-src '{digest(script)}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert "</" not in style + script


@pytest.mark.parametrize(
    "made", [report, lambda: report(HOSTILE), lambda: built(faults=[("leaf0-0", "Up0", ERROR)])]
)
def test_nothing_is_loaded_and_nothing_acts_outside_the_script(made: Any) -> None:
    found = page(made())
    for tag, named in found.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "form", "base", "use"}
        assert "src" not in named
        assert "style" not in named
        assert not [key for key in named if key.startswith("on")]
        assert (named.get("href") or "#").startswith("#")
    assert len(found.all("script")) == len(found.all("style")) == 1


EVIL = (
    "</style></script><script>alert(1)</script><img src=x onerror=alert(1)>'\"&amp;"
    " \u202etxt\u2066\x1b[31m\x00\u2028{{ 7 * 7 }}{% raw %} </title><!-- ]]>"
)


def evil() -> Report:
    """Hostile text wherever the page shows one."""
    finding = replace(
        MTU,
        message=EVIL,
        consequence=EVIL,
        traffic=EVIL,
        notes=(EVIL,),
        fingerprint=EVIL,
        occurrences=(Occurrence(EVIL, (EVIL,), (place(EVIL, 7, EVIL, note=EVIL, path=EVIL),)),),
    )
    hidden = replace(finding, suppressed=Suppression("waiver", EVIL, "2027-03-31"))
    return report(
        finding,
        hidden,
        unknowns=[UnknownGroup("BUF001", EVIL, EVIL, (EVIL,))],
        diagnostics=[Diagnostic(EVIL, "syntax", EVIL, 3)],
        devices=[device(EVIL, "leaf", EVIL)],
        classes=[ClassSummary(EVIL, "data", (26,), "stated", 2, (place(EVIL, 1, EVIL),), (EVIL,))],
        base=EVIL.replace("\x00", ""),
    )


def test_hostile_text_is_text() -> None:
    whole = render("html", evil(), OPTIONS)
    found = Page(whole)
    assert len(found.all("script")) == len(found.all("style")) == 1
    assert found.all("img") == []
    shown = "<script>alert(1)</script><img src=x onerror=alert(1)>'\"&amp;"
    assert found.read().count(shown) >= 12
    assert "{{ 7 * 7 }}{% raw %}" in found.read()
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", whole
    )
    (detail,) = found.all("details", class_="finding")
    assert re.fullmatch(r"f-[0-9A-Za-z-]+", detail["id"] or "")


def test_a_hostile_fabric_is_text() -> None:
    found = page(built(prefix=EVIL, faults=[(f"{EVIL}leaf0-0", "Up0", ERROR)]))
    assert found.read().count("<script>alert(1)</script>") > 100
    assert len(found.all("script")) == 1
    assert found.all("img") == []
    assert len(found.all("g", class_="node")) == 10


def test_a_command_to_copy_holds_no_other_command() -> None:
    name = "leaf0-0; rm -rf $(x) '`"
    found = page(built(prefix=name, faults=[(f"{name}leaf0-0", "Up0", ERROR)]))
    (command,) = [text for _, text in found.texts if text.startswith("roce-lint trace ")]
    assert shlex.split(command)[3:7:2] == ["--from", "--to"]
    assert shlex.split(command)[4].startswith(name)


def test_a_link_to_a_rule_is_one_to_the_web() -> None:
    url = "https://docs.site/{id}-{name}.html"
    (link, *_) = [a for a in page(report(MTU), help_url=url).all("a") if a.get("rel")]
    assert link["href"] == "https://docs.site/MTU001-mtu-too-small-for-class.html"
    found = page(report(MTU), help_url="javascript:alert(1)//{id}")
    assert [a for a in found.all("a") if not (a["href"] or "").startswith("#")] == []


# ------------------------------------------------------------------------------- what it says


def test_the_gravest_and_widest_come_first() -> None:
    faults = [
        ("leaf0-0", "Host0-0", WARNING),
        ("leaf0-1", "Host0-1", ERROR),
        ("leaf0-2", "Up0", ERROR),
    ]
    found = page(built(faults=faults)).all("details", class_="finding")
    assert [entry["id"] for entry in found] == [f"f-{n:032x}" for n in (2, 1, 0)]
    assert [entry["data-severity"] for entry in found] == ["error", "error", "warning"]


def test_what_is_left_out_is_told() -> None:
    found = page(report(), max_findings=1)
    assert len(found.all("details", class_="finding")) == 1
    assert "2 more findings not shown (1 warning, 1 info)" in found.read()


def test_accepted_findings_do_not_count_and_say_why() -> None:
    found = page(report(WAIVED))
    assert found.all("details", class_="finding") == []
    assert "waiver until 2027-03-31: replaced in spring" in found.read()


def test_a_path_names_the_hop_and_the_lines() -> None:
    made = built(faults=[("leaf0-0", "Up0", ERROR)])
    (finding,) = made.findings
    found = page(made)
    assert [hop.device for hop in finding.path][:3] == ["host0-0", "leaf0-0", "spine0-0"]
    steps = found.all("li", class_="step")
    here = [n for n, step in enumerate(steps) if "here" in (step["class"] or "").split()]
    assert (len(steps), here) == (5, [1])
    assert "leaf0-0.cfg:1" in found.read()
    assert "--from host0-0:eth0 --to host0-2:eth1 --class 'RoCE DSCP 26'" in found.read()


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (built, "32 ports checked, no fault found."),
        (lambda: report(findings=[], devices=[]), "Nothing was checked: no configuration was"),
        (
            lambda: report(findings=[], judged_ports=0),
            "No port was checked: none is known to carry",
        ),
        (lambda: built(links=False), "No link is known: provide links.yaml, LLDP output"),
        (lambda: report(findings=[]), "No device is known."),
        (lambda: report(findings=[], classes=[]), "No RoCE class was found"),
    ],
)
def test_what_is_not_there_is_said(made: Any, says: str) -> None:
    assert says in page(made()).read()


# --------------------------------------------------------------------------------- the colours


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def palettes(root: Path) -> list[dict[str, str]]:
    """The colours of the page by day, by night and on paper."""
    css = (root / "templates" / "report" / "html" / "page.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks]


def test_the_contrast_is_that_of_a_known_pair() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_every_text_can_be_read_by_day_by_night_and_on_paper(root: Path) -> None:
    """WCAG AA: 4.5 to 1 for text, 3 to 1 for lines that mean something."""
    found = palettes(root)
    assert len(found) == 3
    tones = ("error", "warning", "info", "unknown", "holds")
    for colours in found:
        texts = [(t, g) for t in ("text", "dim", "accent") for g in ("ground", "panel")]
        texts += [(tone, f"{tone}-pale") for tone in tones]
        texts += [(tone, ground) for tone in tones for ground in ("ground", "panel")]
        texts += [("text", f"{tone}-pale") for tone in tones] + [("dim", "info-pale")]
        weak = {
            (text, ground): round(contrast(colours[text], colours[ground]), 2)
            for text, ground in texts
            if contrast(colours[text], colours[ground]) < 4.5
        }
        assert weak == {}
        assert contrast(colours["error"], colours["ground"]) > 3
        assert contrast(colours["warning"], colours["ground"]) > 3


def test_the_class_that_is_drawn_is_the_one_of_the_fixture() -> None:
    assert built().classes[0].name == CLASS
    assert PFC.rule == "PFC002"


def test_a_class_of_which_no_sender_has_a_known_link(tmp_path: Path) -> None:
    """It has no table of pairs, and the others keep theirs."""
    fabric = ROOT / "tests/fabrics/native-mtus/fabric"
    shutil.copytree(fabric, tmp_path, dirs_exist_ok=True)
    shutil.copytree(fabric / "hosts/gpu1", tmp_path / "hosts/gpu9")
    for path in (tmp_path / "hosts/gpu9").iterdir():
        text = path.read_text().replace("gpu1", "gpu9").replace("cnp_dscp:48", "cnp_dscp:49")
        path.write_text(text)
    request = roce_lint.Request(paths=(str(tmp_path),), jobs=1, cache=False)
    made = roce_lint.run(request, roce_lint.Settings())
    page = roce_lint.render("html", made, roce_lint.Options(cwd=str(tmp_path)))
    assert [page.count(f"<h3>CNP DSCP {dscp} ") for dscp in (48, 49)] == [1, 1]
    assert 'aria-label="Table of pairs for RoCE DSCP 26"' in page
    assert 'aria-label="Table of pairs for CNP DSCP 49"' not in page
