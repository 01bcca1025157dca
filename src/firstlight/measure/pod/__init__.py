"""Make a start happen in a cluster, or wait for one, and put back whatever was changed for it."""
