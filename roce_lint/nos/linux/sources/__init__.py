"""Outputs and files of a host that are read, with their signatures."""
