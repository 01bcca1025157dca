"""What waiting costs, what keeping costs, and where the two meet."""
