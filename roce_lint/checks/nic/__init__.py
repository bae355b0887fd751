"""NICs, hosts and jobs."""
