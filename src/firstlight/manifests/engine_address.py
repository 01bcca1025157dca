"""
Where an engine answers, as its arguments say, for whoever is beside it in the pod.
"""

from firstlight.core.errors import BadInput
from firstlight.manifests.command_line import command_line
from firstlight.manifests.draft import argument_text
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.workload import Workload
from firstlight.readers.engine_program import DEFAULT_PORT


def engine_address(workload: Workload, objects: ObjectSet) -> str:
    """
    The URL at which an engine answers a container of its pod.

    Raises:
        BadInput: it listens on no port, or on one that is not known, or asks for a key that only
            its arguments hold.
    """
    line = command_line(workload.container, workload.place)

    def given(argument: str) -> str | None:
        option = line.last(argument)
        written = option.value if option is not None else None
        if written is None:
            return None
        return argument_text(written, workload, line, objects) or written

    if (socket := line.last("--uds")) is not None:
        raise BadInput(
            "the engine listens on a socket with --uds and not on a port "
            f"({workload.place(line.pointer(workload.container, socket.at))}), so the publisher "
            "would not reach it",
            remedy="take --uds away for the publishing start",
        )
    if (key := line.last("--api-key")) is not None:
        raise BadInput(
            "the engine is given its API key with --api-key "
            f"({workload.place(line.pointer(workload.container, key.at))}), which the publisher "
            "would have to know",
            remedy="give it as the variable VLLM_API_KEY, from a Secret",
        )
    scheme = "https" if line.last("--ssl-certfile") is not None else "http"
    port = given("--port") or str(DEFAULT_PORT)
    if not port.isdecimal():
        raise BadInput(
            f"the engine's port is {port} ({workload.place()})", remedy="write it as a number"
        )
    host = given("--host") or ""
    # Of an address of its own only that one answers.
    own = host if host not in {"", "0.0.0.0", "::", "localhost"} else "127.0.0.1"  # noqa: S104 - not bound
    return f"{scheme}://{f'[{own}]' if ':' in own else own}:{port}"
