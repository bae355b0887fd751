"""Published knowledge: profiles of vendors and sites, read from rules/profiles."""
