"""Checks, one module a subject; each function finds where one rule page is broken."""
