"""The data that comes with firstlight: YAML beside the code that reads it."""

from importlib.resources import files


def card_texts() -> dict[str, str]:
    """Every technique's card, by file name."""
    return {
        file.name: file.read_text(encoding="utf-8")
        for file in files("firstlight.techniques").iterdir()
        if file.name.endswith(".yaml")
    }


def fact_meanings() -> str:
    """The table of facts."""
    return (files("firstlight.decisions") / "facts.yaml").read_text(encoding="utf-8")
