"""Checks, one module per subject; each function finds violations of one rule."""
