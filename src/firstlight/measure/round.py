"""
One round: look, start, watch, stop, look again, and write it all down.

Raw artefacts are on disk before anything is made of them: the log as it is
printed, the listings as they are taken. round.json comes last and is written
whatever happened, so a folder tells its own story. A start that went wrong is a
result like any other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firstlight.core.errors import FirstlightError, Interrupted, OutsideFailed
from firstlight.core.marks import MarkKind
from firstlight.core.records import MARKS
from firstlight.core.secrets import cleaned, redacted_command, secret_values, without
from firstlight.measure.anchor import Anchor
from firstlight.measure.caches import cache_roots
from firstlight.measure.command import (
    ServerAddress,
    api_key,
    effective_environment,
    model_named,
    server_address,
)
from firstlight.measure.course import Course
from firstlight.measure.failures import failure, port_taken
from firstlight.measure.fingerprint import fingerprint
from firstlight.measure.heard import Heard
from firstlight.measure.notes import notes
from firstlight.measure.order import Order, Reached
from firstlight.measure.ports import Engine, Instruments, ListedRoot, RoundFolder, Stopped
from firstlight.measure.procedure import End, Watch, Watched
from firstlight.measure.record import INTERRUPTED, Record, listing_json, marks_json
from firstlight.measure.whereabouts import Whereabouts

_TAKEN_WITHIN_NS = 1_000_000_000
_ENDING_NS = 2_000_000_000
_PROBE = "probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResult:
    """What came of one round; the folder holds the rest."""

    folder: str
    index: int
    outcome: str
    """ready, failed or timeout."""
    ready_ns: int | None
    """From the start of the process to /health 200; None where it never came."""
    first_token_ns: int | None
    """From the start of the process to the first token; None where it never came."""
    failure: FirstlightError | None
    """What went wrong, to be raised or printed; None where nothing did."""
    notes: tuple[str, ...]
    """What a reader must know to judge the figures."""
    started: bool
    """False where there never was a process: the next try would end the same way."""


def measure_round(order: Order, instruments: Instruments) -> RoundResult:
    """
    Measure one start.

    Raises:
        BadInput: the order makes no sense; nothing was started.
        OutsideFailed: the folder of the round cannot be written.
    """
    address = server_address(order.command, url=order.url)
    folder = instruments.store.new_round(order.label)
    return _Round(order, instruments, address, folder).carried_out()


class _Round:
    def __init__(
        self, order: Order, instruments: Instruments, address: ServerAddress, folder: RoundFolder
    ) -> None:
        self._order = order
        self._with = instruments
        self._address = address
        self._folder = folder
        self._heard = Heard()
        self._environment = effective_environment(order.command, order.environment)
        self._secrets = secret_values(order.command, self._environment)
        self._record = Record(
            label=order.label,
            index=folder.index,
            folder=folder.path,
            command=redacted_command(order.command),
            url=address.url,
            anchor=Anchor.taken(instruments.clock),
            probe=order.add_probe is not None,
            fingerprint=fingerprint(
                host=instruments.host.fixed(),
                conditions=instruments.host.now(),
                environment=self._environment,
            ),
            timeout_ns=order.timeout_ns,
            model=model_named(order.command),
        )

    def carried_out(self) -> RoundResult:
        try:
            self._list_caches("before")
            self._refuse_a_taken_port()
            self._observed(self._started())
            self._list_caches("after")
        except OutsideFailed as refused:
            self._record.problem = refused
        except KeyboardInterrupt:
            self._record.problem = Interrupted(INTERRUPTED, remedy="measure again")
            self._record.cut_off = True
            self._finished()
            raise
        return self._finished()

    def _refuse_a_taken_port(self) -> None:
        url = self._address.url
        if self._with.server.port(url, timeout_ns=_TAKEN_WITHIN_NS).ok:
            raise port_taken(url)

    def _started(self) -> Engine:
        self._with.progress("starting the engine")
        return self._with.start_engine(
            command=self._order.command,
            environment=self._probed_environment(),
            log_path=self._folder.log_path,
            unix_offset_ns=self._record.anchor.offset_ns,
            secrets=self._secrets,
        )

    def _probed_environment(self) -> dict[str, str]:
        if self._order.add_probe is None:
            return dict(self._order.environment)
        return self._order.add_probe(self._order.environment, self._folder.make_folder(_PROBE))

    def _observed(self, engine: Engine) -> None:
        """Watch the engine, stop it whatever happens, and note what was seen."""
        record, heard = self._record, self._heard
        record.started_ns = engine.started_ns
        course = Course(
            url=self._address.url,
            model=record.model,
            started_ns=engine.started_ns,
            running_ns=engine.running_ns,
        )
        watch = Watch(
            order=self._order,
            engine=engine,
            course=course,
            heard=heard,
            whereabouts=Whereabouts(self._address, elsewhere_ns=self._order.elsewhere_ns),
            api_key=api_key(self._order.command, self._environment),
            instruments=self._with,
        )
        watched: Watched | None = None
        stopping = "stopping the engine"
        try:
            watched = self._asked_more(watch.until_over(), course, engine)
        except KeyboardInterrupt as told:
            # An engine may take half a minute to end, and whoever waits should know for what.
            stopping = f"{told or 'interrupted'}: stopping the engine, then this ends"
            raise
        finally:
            self._with.progress(stopping)
            record.stopped = engine.stop(grace_ns=self._order.grace_ns)
            heard.take(engine.new_lines())
            self._note(course, watch, watched, record.stopped)

    def _asked_more(self, watched: Watched, course: Course, engine: Engine) -> Watched:
        """Ask a server that gave a token what else is to be known; it may not survive that."""
        ask = self._order.after_answer
        if ask is None or course.moment(MarkKind.FIRST_TOKEN) is None:
            return watched
        self._with.progress("asking the engine what it serves")
        key = api_key(self._order.command, self._environment)
        reached = Reached(url=course.url, model=course.model, api_key=key, chat=course.chat)
        for name, value in ask(reached).items():
            self._write(name, value)
        # Who died of it has closed its port, and may not be known to have ended yet.
        is_there = self._with.server.port(course.url, timeout_ns=_TAKEN_WITHIN_NS).ok
        ended = engine.wait(timeout_ns=0 if is_there else _ENDING_NS)
        if ended is None:
            return watched
        return Watched(end=End.ENDED, at_ns=ended.at_ns, ended=ended)

    def _note(
        self, course: Course, watch: Watch, watched: Watched | None, stopped: Stopped
    ) -> None:
        """From what was seen to what is recorded."""
        record, started_ns = self._record, course.marks[0].at_ns
        self._write(MARKS.file, marks_json(course.marks, record.anchor))
        record.url, record.model = course.url, course.model
        record.last_lines = self._heard.last_lines
        ready_ns = course.moment(MarkKind.HEALTH_200)
        token_ns = course.moment(MarkKind.FIRST_TOKEN)
        record.ready_ns = None if ready_ns is None else ready_ns - started_ns
        record.first_token_ns = None if token_ns is None else token_ns - started_ns
        record.first_token_problem = course.no_token and without(course.no_token, self._secrets)
        if watched is not None:
            record.outcome = _OUTCOMES[watched.end]
            record.exit_code = watched.ended.exit_code if watched.ended else None
            record.problem = failure(
                watched,
                course=course,
                heard=self._heard,
                started_ns=started_ns,
                log_path=self._folder.log_path,
            )
        if stopped.log_problem and record.problem is None:
            record.problem = OutsideFailed(
                f"{self._folder.log_path} is not complete: {stopped.log_problem}",
                remedy="make room where the rounds are kept, and measure again",
            )
        record.notes += notes(
            moves=watch.moves,
            no_token=record.first_token_problem,
            printed=bool(self._heard.count),
            probed=not record.probe or bool(self._folder.names_in(_PROBE)),
            stopped=stopped,
            ended_itself=watched is not None and watched.ended is not None,
        )

    def _list_caches(self, when: str) -> None:
        self._with.progress(f"looking at the caches {when} the start")
        roots = cache_roots(self._environment, home=self._order.home, user=self._order.user)
        listed = self._with.list_caches(roots)
        self._write(f"cache-{when}.json", listing_json(listed))
        self._record.notes += [
            f"the listing of {root.root} {when} the start is not complete"
            for root in _incomplete(listed)
        ]

    def _write(self, name: str, value: Mapping[str, object]) -> None:
        self._folder.write(name, cleaned(value, self._secrets))

    def _finished(self) -> RoundResult:
        record = self._record
        self._folder.finish(cleaned(record.as_json(), self._secrets))
        return RoundResult(
            folder=self._folder.path,
            index=record.index,
            outcome=record.outcome,
            ready_ns=record.ready_ns,
            first_token_ns=record.first_token_ns,
            failure=record.problem,
            notes=tuple(record.notes),
            started=record.started_ns is not None,
        )


_OUTCOMES = {
    End.ANSWERED: "ready",
    End.ENDED: "failed",
    End.ELSEWHERE: "failed",
    End.TIMEOUT: "timeout",
}


def _incomplete(listed: Sequence[ListedRoot]) -> list[ListedRoot]:
    return [root for root in listed if not root.complete]
