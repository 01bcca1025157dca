"""Tests against a real Kubernetes; the fixtures say which one."""
