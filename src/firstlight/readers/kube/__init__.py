"""Kubernetes objects, events and tables, in every form people save them, as values."""
