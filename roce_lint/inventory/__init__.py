"""Inventories: devices and how to reach them, from the formats in which sites keep them."""
