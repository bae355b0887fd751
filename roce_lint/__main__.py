"""`python -m roce_lint` is the command `roce-lint`."""

from __future__ import annotations

from roce_lint.cli.main import main

if __name__ == "__main__":
    main()
