"""The live edge to Kubernetes, against servers of our own."""
