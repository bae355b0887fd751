"""Wanted values of findings, and the lines that state them."""
