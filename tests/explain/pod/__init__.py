"""Pods and what is around them, told as starts."""
