"""The one way a preparation ends badly: a sentence, and what to do about it."""


class CannotPrepare(Exception):
    """The network, the disk or this machine did not do its part."""

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
