"""
Which arguments and variables are a part of vLLM's own key.

The key is made inside the engine, from its settings and its environment. Here it is foreseen
from outside: everything counts but what is known to be left out, because a difference that was
named and does not matter costs one compilation, and one that matters and was not named costs
the same in every start, without a word. The names are those of `compile_factors` of 0.32, and
of the settings whose `compute_hash` does not look at them; versions before hash more.
"""

import re
from collections.abc import Mapping
from hashlib import sha256

from firstlight.core.secret_names import is_secret

_SERVER = (
    *("--host", "--port", "--uds", "--root-path", "--api-key", "--api-server-count"),
    *("--allow-credentials", "--allowed-origins", "--allowed-methods", "--allowed-headers"),
    *("--ssl-keyfile", "--ssl-certfile", "--ssl-ca-certs", "--ssl-cert-reqs", "--ssl-ciphers"),
    *("--enable-ssl-refresh", "--middleware", "--uvicorn-log-level", "--log-config-file"),
    *("--disable-uvicorn-access-log", "--disable-access-log-for-endpoints", "--log-error-stack"),
    *("--enable-log-requests", "--disable-log-requests", "--enable-log-outputs", "--max-log-len"),
    *("--disable-log-stats", "--enable-log-deltas", "--disable-fastapi-docs"),
    *("--enable-request-id-headers", "--h11-max-header-count", "--h11-max-incomplete-event-size"),
    *("--enable-offline-docs", "--served-model-name", "--response-role", "--chat-template"),
    *(
        "--chat-template-content-format",
        "--trust-request-chat-template",
        "--return-tokens-as-token-ids",
    ),
    *("--default-chat-template-kwargs", "--tool-call-parser", "--tool-parser-plugin"),
    *("--tool-server", "--enable-auto-tool-choice", "--exclude-tools-when-tool-choice-none"),
    *("--enable-prompt-tokens-details", "--enable-server-load-tracking"),
    *("--enable-force-include-usage", "--enable-tokenizer-info-endpoint", "--headless"),
    *("--lora-modules", "--fingerprint-mode", "--tokens-only", "--generation-config"),
)
"""Of the server alone."""
_ENGINE = (
    *("--load-format", "--model-loader-extra-config", "--download-dir", "--ignore-patterns"),
    *("--use-tqdm-on-load", "--safetensors-load-strategy", "--pt-load-map-location"),
    *("--gpu-memory-utilization", "--kv-cache-memory-bytes", "--swap-space", "--tokenizer"),
    *("--tokenizer-mode", "--tokenizer-revision", "--skip-tokenizer-init", "--seed"),
    *("--shutdown-timeout", "--disable-frontend-multiprocessing", "--otlp-traces-endpoint"),
    *("--collect-detailed-traces", "--show-hidden-metrics-for-version", "--kv-cache-metrics"),
)
"""Of the engine, and not asked for when it makes its key."""
_NOT_HASHED = frozenset((*_SERVER, *_ENGINE))
_SERVICE_LINK = re.compile(r"\w+_(?:SERVICE_(?:HOST|PORT\w*)|PORT(?:_\d+_(?:TCP|UDP|SCTP)\w*)?)")
"""What Kubernetes sets for each Service; vLLM knows none of them but `VLLM_PORT`."""
_BEGINS, _ALSO = "VLLM_", frozenset({"CUDA_HOME", "MAX_JOBS", "NVCC_THREADS"})
_IGNORED = frozenset(
    (
        *("MAX_JOBS", "VLLM_TRITON_JIT_WARMUP_NUM_THREADS", "VLLM_RPC_BASE_PATH"),
        *("VLLM_USE_MODELSCOPE", "VLLM_RINGBUFFER_WARNING_INTERVAL", "VLLM_DEBUG_DUMP_PATH"),
        *("VLLM_PORT", "VLLM_CACHE_ROOT", "VLLM_ENABLE_STARTUP_PLAN", "VLLM_XLA_CACHE_PATH"),
        *("VLLM_CONFIG_ROOT", "VLLM_SERVER_DEV_MODE", "VLLM_DP_MASTER_IP", "VLLM_DP_MASTER_PORT"),
        *("VLLM_NIXL_SIDE_CHANNEL_HOST", "VLLM_RANDOMIZE_DP_DUMMY_INPUTS"),
        *("VLLM_MODEL_REDIRECT_PATH", "VLLM_HOST_IP", "VLLM_ELASTIC_EP_SCALE_UP_LAUNCH"),
        *("VLLM_FORCE_AOT_LOAD", "VLLM_API_KEY", "VLLM_USAGE_STATS_SERVER"),
        *("VLLM_NO_USAGE_STATS", "VLLM_DO_NOT_TRACK", "VLLM_LOGGING_LEVEL"),
        *("VLLM_LOGGING_PREFIX", "VLLM_LOGGING_STREAM", "VLLM_LOGGING_CONFIG_PATH"),
        *("VLLM_LOGGING_COLOR", "VLLM_LOG_STATS_INTERVAL", "VLLM_DEBUG_LOG_API_SERVER_RESPONSE"),
        *("VLLM_TUNED_CONFIG_FOLDER", "VLLM_FLASHINFER_AUTOTUNE_CACHE_DIR"),
        *("VLLM_FLASHINFER_AUTOTUNE_SKIP_OPS", "VLLM_HTTP_TIMEOUT_KEEP_ALIVE"),
        *("VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS", "VLLM_WORKER_SHUTDOWN_TIMEOUT_SECONDS"),
        *("VLLM_KEEP_ALIVE_ON_ENGINE_DEATH", "VLLM_IMAGE_FETCH_TIMEOUT"),
        *("VLLM_VIDEO_FETCH_TIMEOUT", "VLLM_AUDIO_FETCH_TIMEOUT", "VLLM_MEDIA_CACHE"),
        *("VLLM_MEDIA_CACHE_MAX_SIZE_MB", "VLLM_MEDIA_CACHE_TTL_HOURS"),
        *("VLLM_MEDIA_FETCH_MAX_RETRIES", "VLLM_MEDIA_URL_ALLOW_REDIRECTS"),
        *("VLLM_MEDIA_LOADING_THREAD_COUNT", "VLLM_MAX_AUDIO_CLIP_FILESIZE_MB"),
        *("VLLM_MAX_AUDIO_DECODE_DURATION_S", "VLLM_MAX_AUDIO_DECODE_BYTES"),
        *("VLLM_MAX_AUDIO_PREPROCESS_WORKERS", "VLLM_MAX_EMBED_DECODE_BYTES"),
        *("VLLM_MAX_IMAGE_PIXELS", "VLLM_VIDEO_LOADER_BACKEND", "VLLM_MEDIA_CONNECTOR"),
        *("VLLM_OBJECT_STORAGE_SHM_BUFFER_NAME", "VLLM_ASSETS_CACHE"),
        *("VLLM_ASSETS_CACHE_MODEL_CLEAN", "VLLM_WORKER_MULTIPROC_METHOD"),
        *("VLLM_ENABLE_V1_MULTIPROCESSING", "VLLM_V1_OUTPUT_PROC_CHUNK_SIZE"),
        *("VLLM_CPU_KVCACHE_SPACE", "VLLM_CPU_MOE_PREPACK", "VLLM_ZENTORCH_WEIGHT_PREPACK"),
        *("VLLM_TEST_FORCE_LOAD_FORMAT", "VLLM_ENABLE_CUDA_COMPATIBILITY"),
        *("VLLM_CUDA_COMPATIBILITY_PATH", "VLLM_SKIP_MODEL_NAME_VALIDATION"),
        "VLLM_SKIP_VERSION_SUFFIX",
    )
)


def hashed_arguments(arguments: Mapping[str, str]) -> dict[str, str | None]:
    """
    Those that decide the key.

    Args:
        arguments: by name, `--max-num-seqs`; empty for a flag.
    """
    return {n: v or None for n, v in sorted(arguments.items()) if n not in _NOT_HASHED}


def hashed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Those that decide the key; of a secret the digest of its value."""
    return {
        name: _shown(name, value)
        for name, value in sorted(environment.items())
        if name not in _IGNORED and (name in _ALSO or _is_vllms(name))
    }


def is_service_link(name: str) -> bool:
    """Whether a variable has a name that Kubernetes gives to those of a Service."""
    return _SERVICE_LINK.fullmatch(name) is not None


def _is_vllms(name: str) -> bool:
    return name.startswith(_BEGINS) and not is_service_link(name)


def _shown(name: str, value: str) -> str:
    return f"sha256:{sha256(value.encode()).hexdigest()}" if is_secret(name) else value
