"""
`firstlight lint` on five thousand objects: seconds and peak memory.

A folder is made as a platform team keeps one: a thousand engines in fifty namespaces, each with
a proxy beside it, its Service, its claim, its arguments in a ConfigMap and a NetworkPolicy.
Every tenth has something to find. It is judged by a fresh process, three times; the best time
counts.

    python benchmarks/lint_5000.py

Exits with 1 where the limit (5 s) is missed.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_S = 5.0
_ENGINES, _NAMESPACES, _BAD_EVERY = 1000, 50, 10
_TRIES = 3
_KB_PER_MB = 1000
_SET = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: engine-{i}, namespace: team-{n}}}
data:
  config.yaml: |
    max-model-len: 16384
    gpu-memory-utilization: 0.9
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: models-{i}, namespace: team-{n}}}
spec:
  accessModes: [ReadOnlyMany]
  storageClassName: shared
  resources: {{requests: {{storage: 1Ti}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: engine-{i}, namespace: team-{n}}}
spec:
  selector: {{app: engine-{i}}}
  ports: [{{name: http, port: 80, targetPort: 8080}}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: engine-{i}, namespace: team-{n}}}
spec:
  podSelector: {{matchLabels: {{app: engine-{i}}}}}
  policyTypes: [Ingress]
  ingress: [{{ports: [{{port: 8080}}]}}]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: engine-{i}
  namespace: team-{n}
  labels: {{app: engine-{i}, team: team-{n}}}
spec:
  replicas: 1
  strategy: {{type: Recreate}}
  selector:
    matchLabels: {{app: engine-{i}}}
  template:
    metadata:
      labels: {{app: engine-{i}}}
    spec:
      containers:
      - name: engine
        image: vllm/vllm-openai:{tag}
        args: [--config, /etc/engine/config.yaml, --model, /models/qwen3-8b, --port, "8000"]
        env:
        - {{name: VLLM_CACHE_ROOT, value: /cache/vllm}}
        - {{name: TRITON_CACHE_DIR, value: /cache/triton}}
        - {{name: FLASHINFER_WORKSPACE_BASE, value: /cache/flashinfer}}
        resources:
          limits: {{nvidia.com/gpu: "1", memory: 48Gi}}
          requests: {{nvidia.com/gpu: "1", memory: 48Gi, cpu: "6"}}
        startupProbe:
          httpGet: {{path: /health, port: 8000}}
          periodSeconds: 1
          failureThreshold: 600
        readinessProbe:
          httpGet: {{path: /health, port: 8000}}
          periodSeconds: 2
        volumeMounts:
        - {{name: cache, mountPath: /cache}}
        - {{name: config, mountPath: /etc/engine}}
        - {{name: models, mountPath: /models, readOnly: true}}
      - name: proxy
        image: registry.example.com/proxy:3.1
        args: [--listen, ":8080"]
        ports: [{{containerPort: 8080}}]
        resources: {{limits: {{memory: 256Mi}}, requests: {{cpu: 100m, memory: 256Mi}}}}
      volumes:
      - name: cache
        hostPath: {{path: /var/cache/engine-{i}, type: DirectoryOrCreate}}
      - name: config
        configMap: {{name: engine-{i}}}
      - name: models
        persistentVolumeClaim: {{claimName: models-{i}}}
"""


def write(folder: Path) -> None:
    """The files, one a namespace."""
    texts: dict[int, list[str]] = {}
    for i in range(_ENGINES):
        tag = "v0.30.1" if i % _BAD_EVERY else "latest"
        texts.setdefault(i % _NAMESPACES, []).append(_SET.format(i=i, n=i % _NAMESPACES, tag=tag))
    for n, sets in texts.items():
        (folder / f"team-{n}.yaml").write_text("---\n".join(sets))


def judged(folder: Path) -> tuple[float, float, str]:
    """Seconds, peak memory in MB, and the last line that was printed."""
    command = [str(Path(sys.executable).parent / "firstlight"), "lint", str(folder)]
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, _, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - began
        out.seek(0)
        last = out.read().decode().splitlines()[-1]
    return took, usage.ru_maxrss / _KB_PER_MB, last


def main() -> int:
    """Print the figure beside its limit."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write(folder)
        tries = [judged(folder) for _ in range(_TRIES)]
    took, last = min(took for took, _, _ in tries), tries[0][2]
    print(
        f"firstlight lint, 5,000 objects: {took:.2f} s, {max(mb for _, mb, _ in tries):.0f} MB, "
        f"at most {LIMIT_S} s ({last.partition(';')[0]})"
    )
    wrong = f"{_ENGINES // _BAD_EVERY} warnings in {_ENGINES * 5} objects" not in last
    return 1 if took > LIMIT_S or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
