"""The probe, in real interpreters of each version it is meant for."""
