"""From what a site wants to the devices that do it: golden devices, and what cannot be met."""
