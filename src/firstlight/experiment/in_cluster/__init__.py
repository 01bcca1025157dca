"""A plan's objects in a cluster: put in place for each round, and put back at the end."""
