"""
Variables by which a container is told what it has no file for.

A manifest gives a container a field of its pod, or a value of a Secret, as a variable, and nothing
has to be mounted that could be missing or of the wrong owner.
"""

EXPECT = "FIRSTLIGHT_CACHE_EXPECT"
"""What a cache must be for: the words of a file of factors."""
KEY = "FIRSTLIGHT_CACHE_KEY"
"""The private key to sign with: the line of its file."""
