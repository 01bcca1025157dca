"""
What was asked of `lint`, and which of its options go together.

An option that would change nothing is refused, because whoever wrote it believes that it did.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from firstlight.core.errors import BadInput

if TYPE_CHECKING:
    from firstlight.wiring.linting import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of one call; None and empty where they were not given."""

    given: tuple[str, ...]
    live: bool
    all_namespaces: bool
    start_p95_s: float | None
    records: tuple[str, ...]
    model_size: str | None
    nat_price_per_gb: float | None
    codes: tuple[str, ...]
    ignored: tuple[str, ...]
    namespace: str | None
    context: str | None
    kubeconfig: str | None

    def check_alone(self, *, explain: str | None, lists: bool) -> None:
        """
        Raises:
            click.UsageError: --list or --explain stands beside something else.
        """
        said = "--list" if lists else "--explain"
        others = (self.given, self.live, self.all_namespaces, self.records, self.codes)
        stated = (self.start_p95_s, self.model_size, self.nat_price_per_gb, self.namespace)
        rest = (self.ignored, self.context, self.kubeconfig)
        if (lists and explain) or any(others) or any(rest) or stated != (None,) * len(stated):
            raise click.UsageError(f"{said} takes only --output json beside it")

    def check(self, *, is_live: bool) -> None:
        """
        Raises:
            click.UsageError: nothing is given, or options that do not go together.
        """
        if not self.given and not self.live:
            raise click.UsageError("say which manifests are meant, or --live")
        if self.live and self.given:
            raise click.UsageError(
                "--live looks at every workload of a namespace: leave it out, or the names"
            )
        if self.all_namespaces and not self.live:
            raise click.UsageError("--all-namespaces is for --live")
        if self.all_namespaces and self.namespace is not None:
            raise click.UsageError("--all-namespaces and --namespace do not go together")
        if self.records and self.start_p95_s is not None:
            raise click.UsageError("--records and --start-p95-s say the same: give one of them")
        for option, value in (
            ("--namespace", self.namespace),
            ("--context", self.context),
            ("--kubeconfig", self.kubeconfig),
        ):
            if value is not None and not is_live:
                raise click.UsageError(f"{option} is for what is in a cluster")

    def question(self) -> "Question":
        """
        What is to be judged.

        Raises:
            BadInput: a size is none, or a rule is set aside without a reason.
        """
        from firstlight.lint.scene import Stated  # noqa: PLC0415
        from firstlight.wiring.linting import Question  # noqa: PLC0415

        return Question(
            codes=self.codes,
            ignored=dict(_ignored(one) for one in self.ignored),
            stated=Stated(
                start_p95_s=self.start_p95_s,
                model_bytes=self._model_bytes(),
                nat_price_per_gb=self.nat_price_per_gb,
            ),
            records=self.records,
        )

    def _model_bytes(self) -> int | None:
        from firstlight.manifests.sizes import size_bytes  # noqa: PLC0415

        if self.model_size is None:
            return None
        found = size_bytes(self.model_size)
        if found is None:
            raise BadInput(
                f"--model-size {self.model_size} is no size", remedy="say one such as 33.5GB"
            )
        return found


def _ignored(text: str) -> tuple[str, str]:
    """A rule and why it is set aside."""
    code, equals, reason = text.partition("=")
    if not code.strip():
        raise BadInput(
            f"--ignore {text!r} names no rule",
            remedy='say which rule, and why: --ignore CODE="..."',
        )
    if not equals or not reason.strip():
        raise BadInput(f"--ignore {text} gives no reason", remedy=f'say why: --ignore {code}="..."')
    return code.strip(), reason.strip()
