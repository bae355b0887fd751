"""The Python interface: load a fabric and query it."""
