"""Compile caches as artefacts: what they are keyed by, what is in them, who may be believed."""
