"""The collector of cyclic garbage is held back while a model is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_collection() -> Iterator[None]:
    """Nothing that is done within forms cycles worth collecting: looking for them again and again
    among millions of objects would be a quarter of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
