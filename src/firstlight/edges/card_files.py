"""The cards that come with firstlight: YAML beside the code that reads it."""

from importlib.resources import files


def card_texts() -> dict[str, str]:
    """Every card's text, by file name."""
    folder = files("firstlight.techniques")
    return {
        file.name: file.read_text(encoding="utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".yaml")
    }
