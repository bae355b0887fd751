"""`python -m roce_lint` is the command `roce-lint`."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working folder: checked files must not be imported
    from roce_lint.cli.main import main

    main()
