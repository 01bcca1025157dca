"""
What is said of the page cache before a round, by whoever drops it, to whoever reads that.

Anything else that is said is why it could not be dropped.
"""

DROPPED = "dropped"
LEFT = "left as it was"
