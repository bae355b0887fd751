"""The outputs and files of a host that are read, and how each is recognised."""
