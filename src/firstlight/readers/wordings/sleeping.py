"""
Sleep and wake.

The level is nowhere in the engine's own lines: it is in the request's query, or
follows from what the allocator backed up (level 1 keeps the weights in host
memory, level 2 keeps nothing).
"""

from firstlight.readers.wordings.wording import NUMBER, Say, wording

SLEEPING = (
    wording(
        Say.SLEEP_ASKED, "/sleep", r'.*"POST /sleep(?:\?(?P<query>\S*))? HTTP/[\d.]+" (?P<status>\d+)'
    ),
    wording(
        Say.ALLOCATOR_FREED,
        "sleep freed",
        r"CuMemAllocator: sleep freed (?P<gib>[\d.]+) GiB\b.*?"
        r"(?P<backed>\d+(?:\.\d+)?) GiB\s+(?:is )?backed up",
    ),
    wording(
        Say.SLEEP_FREED,
        "mode freed",
        r"Sleep mode freed (?P<gib>[\d.]+) GiB memory, (?P<in_use>[\d.]+) GiB memory is still in use",
    ),
    wording(Say.ASLEEP, "fall asleep", rf"It took {NUMBER} s(?:econds)? to fall asleep"),
    wording(Say.AWAKE, "to wake up", rf"It took {NUMBER} s(?:econds)? to wake up"),
)
