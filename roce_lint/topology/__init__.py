"""Links and roles: who is connected to whom, and which tier a device is in."""
