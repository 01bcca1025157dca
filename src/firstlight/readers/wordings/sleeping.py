"""
Sleep and wake.

The level is nowhere in the engine's own lines: it is in the request's query, or
follows from what the allocator backed up (level 1 keeps the weights in host
memory, level 2 keeps nothing).
"""

from firstlight.readers.wordings.wording import DECIMAL, WHOLE_6, Say, wording

SLEEPING = (
    wording(
        Say.SLEEP_ASKED,
        "/sleep",
        r'.{0,300}?"POST /sleep(?:\?(?P<query>\S*))? HTTP/[\d.]+" (?P<status>\d+)',
    ),
    wording(
        Say.ALLOCATOR_FREED,
        "sleep freed",
        rf"\w+MemAllocator: sleep freed (?P<gib>{DECIMAL}) GiB\b.*?"
        rf"(?P<backed>{DECIMAL}) GiB\s+(?:is )?backed up",
    ),
    wording(
        Say.SLEEP_FREED,
        "mode freed",
        rf"Sleep mode freed (?P<gib>{DECIMAL}) GiB memory, "
        rf"(?P<in_use>{DECIMAL}) GiB memory is still in use",
    ),
    wording(
        # The CPU engine goes on to say how long it took to fall asleep, and freed nothing.
        Say.SLEEP_IGNORED,
        "mode is not supported on CPU",
        r"sleep mode is not supported on CPU, ignore it",
    ),
    wording(Say.ASLEEP, "fall asleep", rf"It took {WHOLE_6} to fall asleep"),
    wording(Say.AWAKE, "to wake up", rf"It took {WHOLE_6} to wake up"),
)
