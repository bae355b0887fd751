"""Files that say how a host shall be set up: scripts, units, network configuration."""
