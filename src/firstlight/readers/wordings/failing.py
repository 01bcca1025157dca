"""
What a start says when it does not come up.

The last words are rarely the cause: the front end only reports that the engine
did not come up and points above. Those wordings are `secondary` and are never
the answer. The cause is the first exception of the process that failed first; a
process that a signal ended leaves only the line of whoever missed it.
"""

from firstlight.readers.wordings.wording import Say, wording

_MODULE = r"(?:[A-Za-z_][\w.]{0,80}\.)?"
_NAME = _MODULE + r"[A-Z_]\w{0,60}"
_EXCEPTION = _MODULE + r"(?:[A-Z_]\w{0,60})?Exception"

FAILING = (
    wording(Say.SECONDARY, "root cause", r".{0,500}?[Ss]ee (?:the )?(?:stack trace|root cause)"),
    wording(Say.SECONDARY, "initialization failed", r".{0,300}?Engine core initialization failed"),
    wording(Say.SECONDARY, "Frontend process", r".{0,300}?Frontend process failed during"),
    wording(Say.SECONDARY, "startup failed", r"Application startup failed\. Exiting"),
    wording(Say.FATAL, "failed to start", r"EngineCore(?:Proc)? failed to start"),
    wording(Say.FATAL, "failed to start", r"WorkerProc failed to start"),
    wording(Say.FATAL, "WorkerProc failed", r"WorkerProc failed\."),
    wording(Say.FATAL, "fatal error", r"EngineCore encountered a fatal error"),
    wording(Say.FATAL, "Error executing metho", r"Error executing metho"),
    wording(Say.FATAL, "Timed out waiting for engine", r"Timed out waiting for engine core"),
    wording(
        Say.DIED,
        "died",
        r"(?:Worker proc|Engine core proc(?:ess)?|RayWorkerProc rank=|Worker|Process)"
        r" ?.{0,200}? died(?: unexpectedly|,| with exit code)",
    ),
    wording(Say.TRACEBACK, "Traceback (", r"Traceback \(most recent call last\):", opening=True),
    wording(Say.FRAME, "/vllm/", r'File "[^"]*/vllm/[^"]*", line \d+', opening=True),
    wording(
        Say.EXCEPTION,
        "rror",
        rf"(?P<type>{_NAME}Error(?:\(\w+\))?)(?::(?: (?P<text>.*))?)?$",
        opening=True,
    ),
    wording(
        Say.EXCEPTION,
        ": ",
        rf"(?P<type>{_EXCEPTION}|{_NAME}(?:Timeout|Refused|Failed)"
        r"|[a-z_][\w.]{0,80}\.(?:errors|exceptions)\.\w+): (?P<text>.*)$",
        opening=True,
    ),
    wording(Say.EXCEPTION, "xception", rf"(?P<type>{_EXCEPTION})$", opening=True),
    wording(
        Say.EXCEPTION,
        " error, ",
        r"(?P<type>Value error|Assertion failed), (?P<text>.*?)(?: \[type=.*)?$",
        opening=True,
    ),
    wording(
        # Python's own words, on the lines after a bare `RuntimeError:`.
        Say.EXCEPTION,
        "An attempt has been made",
        r"(?P<type>An attempt has been made to start a new process) (?P<text>.*)$",
        opening=True,
    ),
    wording(
        Say.ARGUMENT_ERROR,
        "error: ",
        r"(?:vllm(?: [\w-]+){0,2}|api_server\.py|__main__\.py|python\S* -m vllm\S*): error: "
        r"(?P<text>.+)",
        opening=True,
    ),
    wording(
        Say.CRASH,
        "ault",
        r"(?:!+ )?(?:Fatal Python error: (?P<text>.*)|Segfault encountered"
        r"|Segmentation fault|Memory access fault by GPU)",
        opening=True,
    ),
    wording(Say.CRASH, "terminate called", r"terminate called after throwing", opening=True),
    wording(Say.CRASH, "core dumped", r"(?:Aborted|Bus error|Illegal instruction) \(core dumped\)"),
    wording(Say.CRASH, "Killed", r"Killed$", opening=True),
    wording(Say.SHUTDOWN, "Shutting down", r"Shutting down$"),
    wording(Say.SHUTDOWN, "hutdown", r"\[shutdown\] .*trigger(?:ed)?"),
)
