"""A Kubernetes cluster: which it is, a client of it, and what goes over the wire; see `api`."""
