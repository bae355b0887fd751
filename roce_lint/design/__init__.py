"""From an intent to golden devices, or to the requirements that cannot be met."""
