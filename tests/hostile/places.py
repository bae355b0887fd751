"""Runs of the whole program in places that are narrow: what it may not do, and what is left there."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

BROKEN = ROOT / "sample_configs" / "broken-fabric"
CAPABILITIES = range(4)
"""CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER of capabilities(7): what lets root
read and write whatever the permissions say.
"""
PR_CAPBSET_DROP = 24


def bound_by_permissions() -> None:
    """In a child, before it begins: permissions hold, for root as well."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for each in CAPABILITIES:
            libc.prctl(PR_CAPBSET_DROP, each, 0, 0, 0)


def ended(
    *words: str | Path, cwd: Path = ROOT, plain: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A run as a process of its own; `plain` without the rights of root."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from roce_lint.cli.main import main"
    command = [sys.executable, "-P", "-c", f"{code}; sys.argv[0] = 'roce-lint'; main()"]
    done = subprocess.run(
        [*command, *map(str, words)], cwd=cwd, capture_output=True, text=True, errors="replace",
        check=False, timeout=120, env={**os.environ, **environment},
        preexec_fn=bound_by_permissions if plain else None,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done
