"""
What is there before a start: the three kinds that experiments and pages tell apart.
"""

COLD, WARM, WAKE = "cold", "warm", "wake"
"""Nothing is there; the node has what earlier starts left; the engine is there and sleeps."""
SCENARIOS = (COLD, WARM, WAKE)
