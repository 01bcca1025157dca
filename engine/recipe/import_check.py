"""
Run by the engine's own Python: do torch and vLLM import, and what are they?

The last line printed is one JSON object; whatever the imports print comes
before it.
"""

import json
from importlib.metadata import version

import torch
import vllm
from vllm.platforms import current_platform

print(
    json.dumps(
        {
            "torch": torch.__version__,
            "torch_cuda": torch.version.cuda,
            "vllm": version("vllm"),
            "vllm_module": vllm.__version__,
            "platform": current_platform.device_type,
        }
    )
)
