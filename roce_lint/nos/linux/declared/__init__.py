"""Setup files of a host: scripts, units, network configuration."""
