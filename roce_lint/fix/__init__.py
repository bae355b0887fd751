"""Corrected configurations: what would put findings right, proved before it is offered."""
