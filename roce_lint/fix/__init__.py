"""Corrected configurations: fixes that are verified before they are offered."""
