"""Compile caches between folders and stores: found, keyed, published, taken."""
