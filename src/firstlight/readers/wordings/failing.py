"""
What a start says when it does not come up.

The last words are rarely the cause: the front end only reports that the engine
did not come up and points above. Those wordings are `secondary` and are never
the answer. The cause is the first exception of the process that failed first.
"""

from firstlight.readers.wordings.wording import Say, wording

FAILING = (
    wording(Say.SECONDARY, "root cause", r".*[Ss]ee (?:the )?(?:stack trace|root cause)"),
    wording(Say.SECONDARY, "Failed core proc", r".*Engine core initialization failed"),
    wording(Say.SECONDARY, "Failed frontend", r".*Frontend process failed during"),
    wording(Say.SECONDARY, "startup failed", r"Application startup failed\. Exiting"),
    wording(Say.FATAL, "failed to start", r"EngineCore failed to start"),
    wording(Say.FATAL, "failed to start", r"WorkerProc failed to start"),
    wording(Say.FATAL, "WorkerProc failed", r"WorkerProc failed\."),
    wording(Say.FATAL, "fatal error", r"EngineCore encountered a fatal error"),
    wording(Say.FATAL, "died unexpectedly", r"Worker proc .* died unexpectedly"),
    wording(Say.FATAL, "Error executing metho", r"Error executing metho"),
    wording(Say.FATAL, "Timed out waiting for engine", r"Timed out waiting for engine core"),
    wording(Say.TRACEBACK, "Traceback (", r"Traceback \(most recent call last\):"),
    wording(
        Say.EXCEPTION,
        "rror",
        r"(?P<type>(?:[A-Za-z_][\w.]{0,80}\.)?[A-Z]\w{0,60}(?:Error|Exception))(?:: (?P<text>.*))?$",
    ),
    wording(
        Say.EXCEPTION,
        "xception",
        r"(?P<type>(?:[A-Za-z_][\w.]{0,80}\.)?[A-Z]\w{0,60}Exception)(?:: (?P<text>.*))?$",
    ),
    wording(
        Say.ARGUMENT_ERROR,
        "error: ",
        r"(?:vllm|api_server\.py|usage)?.{0,40}?: error: (?P<text>.+)",
    ),
    wording(Say.SHUTDOWN, "hutdown", r"\[shutdown\] .*trigger(?:ed)?"),
)
