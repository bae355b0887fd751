"""Topology: links between ports, and the tier of each device."""
