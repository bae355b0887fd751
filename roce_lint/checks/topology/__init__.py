"""Tiers, rails, routes and load balancing."""
