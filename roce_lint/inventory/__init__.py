"""Which devices there are and how they are reached, out of the forms in which sites keep that."""
