"""
What the JSON of a run is called, for those who know it again and need not make it.
"""

SCHEMA = "firstlight.experiment/1"
"""Fields may be added to it, never renamed; seconds are numbers."""
