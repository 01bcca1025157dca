"""How the cluster is prepared, and what its harness does without one."""
