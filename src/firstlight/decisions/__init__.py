"""What was decided, why, and whether it still stands."""
