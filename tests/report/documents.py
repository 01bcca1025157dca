"""Documents as experiments print them, small enough to be checked by eye."""

from typing import Any

HOSTILE = "</script><script>window.broken=1</script><img src=x onerror='window.broken=1'>"


def round_(
    step: int, number: int, total: float, *, purpose: str = "result", **more: Any
) -> dict[str, Any]:
    """A round of two phases."""
    half = total / 2
    proof = [{"artefact": "engine.log", "line": 7, "text": f"line of {step}/{number} {HOSTILE}"}]
    phases = [
        {
            "name": name,
            "seconds": half,
            "from_s": at,
            "to_s": at + half,
            "uncertainty_s": 0.01,
            "explained": True,
            "stretches": 1,
            "children": [],
            "evidence": proof,
        }
        for name, at in (("process_init", 0.0), ("engine_init", half))
    ]
    return {
        "slot": f"warm/{step}/{'fill' if purpose == 'fill' else number}",
        "number": number,
        "order": 10 * step + number,
        "counts": purpose == "result" and more.get("outcome", "ready") == "ready",
        "purpose": purpose,
        "attempt": 1,
        "folder": f"rounds/{step}/{number}",
        "begun": 0,
        "outcome": "ready",
        "cause": None,
        "total_s": total,
        "uncertainty_s": 0.05,
        "first_token_s": 0.2,
        "phases": phases,
        "facts": {"engine_init_s": [half]},
        "transfers": [],
        "cache_verdict": "hit",
        "effect": {"state": "applied", "says": "it did", "evidence": []},
        "serving": None,
        "outlier": number == 3,
    } | more


def step(
    number: int, name: str, totals: list[float], comparison: dict[str, Any] | None
) -> dict[str, Any]:
    rounds = [round_(number, 0, totals[0] + 30, purpose="fill")]
    rounds += [round_(number, n, total) for n, total in enumerate(totals, 1)]
    ordered = sorted(totals)
    return {
        "number": number,
        "name": name,
        "technique": name if number else None,
        "title": name,
        "says": f"what {name} is {HOSTILE}",
        "status": "recommended" if number else "baseline",
        "reason": "it is worth it",
        "look_again": "nothing is cached",
        "change": [f"environment CACHE = {HOSTILE}"],
        "claims": ["engine_init"] if number else [],
        "scenarios": {
            "warm": {
                "rounds": rounds,
                "shown": 10 * number + 1,
                "serving": {
                    "rounds": len(totals),
                    "ttft_s": 0.01,
                    "e2e_s": 0.05,
                    "baseline_is_steady": True,
                    "baseline_agreement": 1.0,
                    "same_text": True,
                    "lowest_agreement": 1.0,
                    "problems": [],
                    "otherwise": False,
                },
                "summary": {
                    "n": len(totals),
                    "total": {
                        "median_s": (ordered[1] + ordered[2]) / 2,
                        "lowest_s": ordered[0],
                        "highest_s": ordered[-1],
                    },
                },
                "effect": {"applied": len(totals)},
            }
        },
        "against_previous": {"warm": comparison} if comparison else {},
    }


def comparison(change: float) -> dict[str, Any]:
    def metric(name: str) -> dict[str, Any]:
        return {
            "name": name,
            "claimed": True,
            "first": {"n": 4, "median_s": 100.0},
            "second": {"n": 4, "median_s": 100.0 + change},
            "difference_s": change,
            "low_s": change - 2,
            "high_s": change + 2,
            "p": 0.0286,
            "smallest_effect_s": 5.0,
            "verdict": "faster",
        }

    def side(number: int, name: str) -> dict[str, Any]:
        left = {"round": f"rounds/{number}/0", "why": "it filled the compile cache"}
        return {"name": name, "rounds": 4, "left_out": [left]}

    moved = metric("api_start") | {"claimed": False, "verdict": None, "also_moved": True}
    return {
        "first": side(0, "baseline"),
        "second": side(1, "kept"),
        "verdict": "faster",
        "verdict_on_step": "faster",
        "verdict_words": "total faster",
        "not_applied": False,
        "against": [],
        "metrics": [metric("total"), metric("engine_init"), moved],
        "also_moved": ["api_start"],
        "notes": ["told on one side only, so not known to be equal: network"],
    }


def total(**more: Any) -> dict[str, Any]:
    """What the recommended step came to, held against the base."""
    return {
        "from_s": 100.5,
        "to_s": 60.5,
        "steps": ["kept"],
        "measured": True,
        "not_applied": [],
        "last": "kept",
        "n": [4, 4],
        "difference_s": -40.0,
        "low_s": -42.0,
        "high_s": -38.0,
        "p": 0.0286,
        "smallest_effect_s": 5.0,
        "verdict": "faster",
    } | more


def experiment() -> dict[str, Any]:
    """Two steps of four rounds and a fill each."""
    return {
        "schema": "firstlight.experiment/1",
        "name": f"two steps {HOSTILE}",
        "environment": {"engine version": "0.32.0", "model": HOSTILE},
        "began": 1_790_000_000_000_000_000,
        "method": ["medians", HOSTILE],
        "limits": ["one machine"],
        "notes": [HOSTILE],
        "stopped": None,
        "scenarios": ["warm"],
        "rounds_planned": 4,
        "progress": {"results": 8, "done": 8},
        "drift": {"correlation": -0.21, "p": 0.6123, "rounds": 8, "seen": False},
        "totals": {"recommended": {"warm": total()}, "conditional": {}},
        "estimates": [
            {
                "kind": "conditional",
                "scenario": "warm",
                "says": "both together",
                "from_s": 100.5,
                "seconds": 55.0,
                "label": "estimate",
            }
        ],
        "no_totals": [],
        "steps": [
            step(0, "baseline", [100.0, 101.0, 99.0, 102.0], None),
            step(1, "kept", [60.0, 61.0, 59.0, 62.0], comparison(-40.0)),
        ],
    }
