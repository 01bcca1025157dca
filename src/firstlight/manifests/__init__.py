"""Kubernetes objects: a technique's change in them, and the whole set of a step."""
