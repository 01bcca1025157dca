"""Plans joined to hosts, clusters and disks: opened, carried out, read back, told."""
