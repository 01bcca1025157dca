"""
What was asked of `render`, and which of its options go together.

Each option is for some of what may be given: a workload, files, an intent. One that would
change nothing is refused, because whoever wrote it believes that it did.
"""

from dataclasses import dataclass
from pathlib import Path

import click

from firstlight.core.errors import BadInput

_STEPS_FORMS = (None, "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of one call; None and empty where they were not given."""

    given: str | None
    techniques: tuple[str, ...]
    parameters: tuple[str, ...]
    target: str | None
    output: str | None
    kustomize: Path | None
    step: int | None
    diff: bool
    against: str | None
    records: tuple[str, ...]
    publishing_job: bool
    namespace: str | None
    context: str | None
    kubeconfig: str | None

    def check_list(self) -> None:
        """
        Raises:
            click.UsageError: --list stands beside something else.
        """
        others = self._given_of(
            *("--technique", "--set", "--target", "--kustomize", "--step", "--diff", "--against"),
            *("--records", "--publishing-job", "--namespace", "--context", "--kubeconfig"),
        )
        if others or self.given is not None or self.output not in _STEPS_FORMS:
            raise click.UsageError("--list takes only --output json beside it")

    def check(self, *, is_intent: bool, is_live: bool) -> None:
        """
        Raises:
            click.UsageError: options that do not go together.
            BadInput: options for an intent, and there is none.
        """
        of_an_intent = self._given_of("--step", "--diff", "--against", "--records")
        if not is_intent and of_an_intent:
            raise BadInput(
                f"{self.given} is no intent, and {of_an_intent[0]} is for one",
                remedy=f"leave {of_an_intent[0]} out, or give an intent (docs/render.md)",
            )
        if self.kustomize is not None and self.output is not None:
            raise click.UsageError("--kustomize writes files, so --output has no meaning beside it")
        self._check_cluster(is_live=is_live)
        self._check_job(is_intent=is_intent)
        if is_intent and not self.techniques:
            self._check_steps()
        elif beside := self._given_of("--diff", "--against"):
            raise click.UsageError(f"{beside[0]} is for steps, without --technique")

    def _check_cluster(self, *, is_live: bool) -> None:
        if is_live:
            return
        if elsewhere := self._given_of("--context", "--kubeconfig"):
            raise click.UsageError(f"{elsewhere[0]} is for a workload in a cluster")
        if self.namespace is not None and self.target is None:
            raise click.UsageError("--namespace is for a workload in a cluster, or for --target")

    def _check_job(self, *, is_intent: bool) -> None:
        if not self.publishing_job:
            return
        if beside := self._given_of("--output", "--kustomize", "--diff", "--against"):
            raise click.UsageError(f"{beside[0]} has no meaning beside --publishing-job")
        if is_intent and not self.techniques and self.step is None:
            raise click.UsageError("--publishing-job is made from one step: say --step N")

    def _check_steps(self) -> None:
        if drawn := self._given_of("--set", "--target"):
            raise click.UsageError(f"{drawn[0]} is for --technique")
        shown = self._given_of("--kustomize", "--diff", "--against")
        if len(shown) > 1:
            raise click.UsageError(f"{' and '.join(shown)} do not go together")
        if self.kustomize is not None and self.step is not None:
            raise click.UsageError("--kustomize writes all steps, so it takes no --step")
        if (self.diff or self.against) and self.output not in _STEPS_FORMS:
            raise click.UsageError(f"{shown[0]} is shown as text or with --output json")
        if self.step is None and self.against is not None:
            raise click.UsageError("--against compares one step: say --step N")
        if self.step is None and not shown and self.output is not None:
            raise click.UsageError("--output shows one step: say --step N")

    def _given_of(self, *options: str) -> list[str]:
        """Those of some options that were given, by their names."""
        values = {
            "--technique": self.techniques,
            "--set": self.parameters,
            "--target": self.target,
            "--kustomize": self.kustomize,
            "--step": self.step,
            "--diff": self.diff or None,
            "--against": self.against,
            "--records": self.records,
            "--publishing-job": self.publishing_job or None,
            "--output": self.output,
            "--namespace": self.namespace,
            "--context": self.context,
            "--kubeconfig": self.kubeconfig,
        }
        return [one for one in options if values[one] not in (None, ())]
