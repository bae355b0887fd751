"""Mapping of DSCP to traffic class."""
