"""DCBX: what a host advertises, and what it hears from the switch."""
