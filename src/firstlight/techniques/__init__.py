"""What can be changed about a start: one card a technique, as data."""
