"""`set-environment`: a variable of the engine's container."""

import re

from firstlight.manifests.draft import Draft, listed
from firstlight.manifests.pod_templates import COMMAND_FIELDS
from firstlight.techniques.operations import SetEnvironment


def set_environment(draft: Draft, operation: SetEnvironment) -> None:
    """
    Give the variable, unless the container has it.

    `env` wins over `envFrom`, so what that brings in is no obstacle; a script that sets the
    variable itself is one, since it comes later.
    """
    _refuse_assigned(draft, operation.name)
    entries = draft.container.get("env") or []
    named = [i for i, e in enumerate(entries) if e.get("name") == operation.name]
    if not named:
        listed(draft.container, "env").append({"name": operation.name, "value": operation.value})
        return
    entry = entries[named[-1]]
    if entry.get("valueFrom"):
        raise draft.refusal(
            f"{operation.name} comes from elsewhere ({draft.before.place(f'/env/{named[-1]}')})",
            remedy=f"change it there to {operation.value}, or take the entry out",
        )
    if str(entry.get("value") or "") != operation.value:
        entry["value"] = operation.value


def _refuse_assigned(draft: Draft, name: str) -> None:
    for field in COMMAND_FIELDS:
        for at, item in enumerate(draft.container.get(field) or []):
            # With a space or a newline in it the item is a script, and else a word like any.
            if re.search(rf"(?<![\w$=-]){re.escape(name)}=", str(item)):
                raise draft.refusal(
                    f"{name} is set in the command ({draft.before.place(f'/{field}/{at}')}), "
                    "which wins over env",
                    remedy="change it there, or take it out",
                )
