"""Cards, their pages, and what they do to nodes and pods."""
