"""The composition root: the one place that knows capabilities and edges."""
