"""The Service: one address for the engine, whichever step is applied."""

from firstlight.manifests.intent import Intent
from firstlight.manifests.set.part import Part, labels
from firstlight.readers.engine_program import DEFAULT_PORT


def service(intent: Intent) -> Part:
    """The Service, on the port that the engine has, and in a later step the gateway."""
    return Part(
        objects=(
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": intent.name, "namespace": intent.namespace},
                "spec": {
                    "selector": labels(intent.name),
                    "ports": [{"name": "http", "port": DEFAULT_PORT, "targetPort": DEFAULT_PORT}],
                },
            },
        )
    )
