"""The engine is ready; the server gets ready to say so."""

from firstlight.readers.wordings.wording import SECONDS, Say, wording

API_SERVER = (
    wording(
        Say.MM_WARMED,
        "warmup completed in",
        rf"(?:\w+ )?[Mm]ulti-modal warmup completed in {SECONDS}",
    ),
    wording(Say.CHAT_WARMED, "warmup completed in", r"Chat template warmup completed in"),
    wording(Say.TASKS, "upported", r"Supported[_ ]tasks: "),
    wording(Say.CHAT_FORMAT, "chat template", r"Detected the chat template content format"),
    wording(
        Say.SERVER_STARTING,
        "Starting vLLM",
        r"Starting vLLM (?:API )?server(?: \d+)? on (?P<url>\S+)",
    ),
    wording(Say.ROUTES, "routes are", r"Available routes are"),
    wording(Say.ROUTES, "Route: ", r"Route: /\S*, (?:Methods|Endpoint): "),
    wording(Say.UVICORN_STARTED, "server process", r"Started server process \[\d+\]"),
    wording(Say.UVICORN_COMPLETE, "startup complete", r"Application startup complete\."),
    wording(Say.UVICORN_COMPLETE, "Uvicorn running", r"Uvicorn running on "),
)
