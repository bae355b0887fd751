"""Recognises reports: what a checker wrote quotes configurations and is none."""

from __future__ import annotations

import re

HEAD = 16 << 10
"""Characters that are looked at; the first finding of a report stands there."""

_BEGINS = re.compile(
    r"""\s*(?:
        \{\s*"schema":\s*"roce-lint/                                     # JSON, baseline
      | \{"kind":\ "run",\ "entry":\ \{                                   # JSON Lines
      | kind,severity,confidence,rule,name,device,                        # CSV
      | \{\s*"(?:\$schema":\s*"[^"]{0,200}sarif|version":\s*"2\.1\.0")   # SARIF
      | (?:<\?xml[^>]{0,200}>\s*)?<testsuites?[\s>]                      # JUnit
      | \[\s*\{\s*"description":\s*"[A-Z]{3}\d{3}\ [a-z0-9-]+:\          # GitLab
      | ::(?:error|warning|notice)\                                      # GitHub
      | \#\#\#\ roce-lint:\                                              # Markdown
      | \#\ Commands\ of\ roce-lint,\ no\ configuration                    # generate --commands
      | <!DOCTYPE\ html>[^\0]{0,2000}<meta\ name="generator"\ content="roce-lint\   # page
    )""",
    re.VERBOSE,
)
_BEGIN = ("{", "[", "<", "::", "kind,", "### roce", "# Commands")
"""How the texts begin that the pattern above may meet."""

_FINDING = re.compile(
    r"^\S[^\n]{0,2000}: (?:error|warning|info) [A-Z]{3}\d{3} [a-z0-9]+-[a-z0-9-]+", re.MULTILINE
)
_WORDS = (": error ", ": warning ", ": info ")


_BASELINE = re.compile(r'\s*\{\s*"schema":\s*"roce-lint/baseline/')


def is_baseline(text: str) -> bool:
    """True for a list of known findings: like settings it steers a run, and is not passed over."""
    return _BASELINE.match(text) is not None


def is_report(text: str) -> bool:
    """True for a report in any format of roce-lint, for a baseline or commands that it wrote, and
    for other tools' SARIF.
    """
    head = text[:HEAD]
    if head.lstrip().startswith(_BEGIN) and _BEGINS.match(text):
        return True
    return any(word in head for word in _WORDS) and _FINDING.search(head) is not None
