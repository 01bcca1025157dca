"""
What the two containers of a publishing Job tell each other, by files in a folder that both have.

One runs the engine, the other publishes what it compiled. Neither sees the other's processes, so
each leaves a file when it ends: an engine that died is not waited for, and one that has done its
part is not kept.
"""

ENGINE_ENDED = "engine-ended"
"""Left by the engine's container, when the engine is no more."""
PUBLISHED = "published"
"""Left by whoever publishes: the cache is on the store."""
NOT_PUBLISHED = "not-published"
"""Left by whoever publishes: it gave up, for the reason that stands in the file."""
