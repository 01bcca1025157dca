"""
Bytes that should be somebody's manifests, or their words to firstlight, as text.

What no reader of YAML takes is refused here by its own name: a picture, an archive, a file
that an editor saved as UTF-16. Line ends become plain ones, so that a line is what an editor
counts.
"""

import re

from firstlight.core.errors import BadInput

LARGEST_BYTES = 16 * 1024 * 1024
"""Ten times what etcd takes of one object; a file of manifests that is larger is something else."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ")
_HEAD_BYTES = 8192
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ONLY_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What a text of JSON may hold as it is, and YAML would refuse or take for a line's end."""
_GIVE_TEXT = "give YAML or JSON"


def decoded(artefact: str, data: bytes) -> str:
    """
    The text of a file.

    Raises:
        BadInput: it is too large, or no text.
    """
    if len(data) > LARGEST_BYTES:
        raise BadInput(
            f"{artefact} holds over {LARGEST_BYTES >> 20} MiB, more than anybody writes",
            remedy="give a smaller file, such as the manifests of one workload",
        )
    if data.startswith(_UTF_16):
        raise BadInput(f"{artefact} is UTF-16", remedy="save it as UTF-8")
    if data.startswith(_PACKED):
        raise BadInput(f"{artefact} is compressed", remedy="unpack it first")
    if b"\x00" in data[:_HEAD_BYTES]:
        raise BadInput(f"{artefact} is binary", remedy=_GIVE_TEXT)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise BadInput(f"{artefact} is not UTF-8 in line {line}", remedy="save it as UTF-8") from e
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.lstrip().startswith("{"):
        text = _ONLY_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    if found := _UNPRINTABLE.search(text):
        line, code = text.count("\n", 0, found.start()) + 1, f"U+{ord(found[0]):04X}"
        raise BadInput(
            f"{artefact} holds the character {code} in line {line}, which YAML forbids",
            remedy="remove it, or write it as an escape in double quotes",
        )
    return text
