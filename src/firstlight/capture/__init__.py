"""Save everything a start left in the cluster, secrets removed."""
