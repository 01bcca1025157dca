"""The one way a cluster ends badly: a sentence, and what to do about it."""


class ClusterFailed(Exception):
    """A part of Kubernetes, or this machine, did not do what was asked."""

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(f"{message}; {remedy}")
        self.message = message
        self.remedy = remedy
