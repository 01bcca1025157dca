"""
Beside an engine: waiting until it has served.

A cache is whole when the engine has started and answered once: some kernels are compiled for the
first request. Which questions show that, in which order, is `measure`'s to know.
"""

import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from firstlight.caches.job_files import ENGINE_ENDED
from firstlight.core.errors import BadInput, EngineFailed, OutsideFailed
from firstlight.core.units import NS_PER_S
from firstlight.edges.http_exchange import Answer
from firstlight.edges.http_polls import HttpPolls
from firstlight.measure.course import Course, Step
from firstlight.wiring.caching.shared_folder import SharedFolder
from firstlight.wiring.caching.steps import Event, Progress, Told

_EVERY_S = 1.0
_ASK_WITHIN_S = 5.0
_TOKEN_WITHIN_S = 600.0
"""The first request may compile for minutes."""
_SHORTEST_S = 0.1
_STRANGE_CERTIFICATE = "CERTIFICATE_VERIFY_FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """An engine to wait for."""

    url: str
    api_key: str | None
    """None where it asks for none."""
    wait_s: float


def until_served(served: Served, shared: SharedFolder | None, progress: Progress) -> None:
    """
    Wait until an engine is healthy, and ask it for one token.

    Args:
        served: the engine.
        shared: where its container leaves word when it ends; None where it does not.
        progress: is told what is waited for.

    Raises:
        BadInput: its URL is none.
        OutsideFailed: it did not come, or gave no token.
        EngineFailed: it ended.
    """
    _check(served.url)
    told, now_ns = Told(progress), time.monotonic_ns()
    course = Course(url=served.url, model=None, started_ns=now_ns, running_ns=now_ns)
    while course.step is not Step.DONE:
        if shared is not None and shared.has(ENGINE_ENDED):
            raise EngineFailed(
                "the engine ended before it answered a request, so there is no cache to publish",
                remedy="see the log of its container",
            )
        left_s = served.wait_s - told.seconds
        if left_s <= 0:
            raise OutsideFailed(
                f"the engine at {served.url} did not answer a request within {served.wait_s:g} s: "
                f"{course.last_no or course.step.value}",
                remedy="see its log, or wait longer with --wait-s",
            )
        before = course.step
        said = f" ({course.last_no})" if course.last_no else ""
        told.tell(Event.WAITING, why=f"the engine{said}")
        answer = _asked(course, served, within_s=max(left_s, _SHORTEST_S))
        course.learn(answer)
        _refuse_strangers(served.url, answer)
        if course.step is before:
            time.sleep(min(_EVERY_S, max(served.wait_s - told.seconds, 0)))
    if course.no_token is not None:
        raise OutsideFailed(
            f"the engine at {served.url} is there and gave no token: {course.no_token}",
            remedy="see its log; the key that it asks for is taken from VLLM_API_KEY",
        )


def _asked(course: Course, served: Served, *, within_s: float) -> Answer:
    polls, short_ns = HttpPolls(), int(min(within_s, _ASK_WITHIN_S) * NS_PER_S)
    match course.step:
        case Step.PORT:
            return polls.port(course.url, timeout_ns=short_ns)
        case Step.HEALTH:
            return polls.health(course.url, timeout_ns=short_ns)
        case Step.MODELS:
            return polls.models(course.url, timeout_ns=short_ns, api_key=served.api_key)
        case _:
            return polls.first_token(
                course.url,
                timeout_ns=int(min(within_s, _TOKEN_WITHIN_S) * NS_PER_S),
                api_key=served.api_key,
                model=course.model,
                chat=course.step is Step.CHAT,
            )


def _check(url: str) -> None:
    try:
        at = urlsplit(url)
        right = at.scheme in {"http", "https"} and bool(at.hostname) and at.port != 0
    except ValueError:
        right = False
    if not right:
        raise BadInput(f"{url} is no server's URL", remedy="say http://127.0.0.1:8000")


def _refuse_strangers(url: str, answer: Answer) -> None:
    """A certificate does not become a better one by waiting."""
    if _STRANGE_CERTIFICATE in answer.words:
        raise OutsideFailed(
            f"the engine at {url} has a certificate that nobody here vouches for",
            remedy="ask it at 127.0.0.1, where none is asked for, or name its authority in "
            "SSL_CERT_FILE",
        )
