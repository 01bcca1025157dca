"""A pod's way to its engine, and from its engine to Ready."""
