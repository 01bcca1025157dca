"""
The worker's functions: device, model, weights, profiling run, KV cache, warm-up.
"""

from __future__ import annotations

import _firstlight_spans as spans

Row = spans.Row

_LOADERS = (
    ("vllm.model_executor.model_loader.default_loader", "DefaultModelLoader"),
    ("vllm.model_executor.model_loader.dummy_loader", "DummyModelLoader"),
    ("vllm.model_executor.model_loader.runai_streamer_loader", "RunaiModelStreamerLoader"),
    ("vllm.model_executor.model_loader.sharded_state_loader", "ShardedStateLoader"),
    ("vllm.model_executor.model_loader.tensorizer_loader", "TensorizerLoader"),
    ("vllm.model_executor.model_loader.bitsandbytes_loader", "BitsAndBytesModelLoader"),
    ("vllm.model_executor.model_loader.gguf_loader", "GGUFModelLoader"),
)
_RUNNERS = (
    ("vllm.v1.worker.gpu_model_runner", "GPUModelRunner"),
    ("vllm.v1.worker.gpu.model_runner", "GPUModelRunner"),
    ("vllm.v1.worker.cpu_model_runner", "CPUModelRunner"),
)
_RUNNER = (
    ("__init__", "construction", "model runner"),
    ("load_model", "model", "loading"),
    ("profile_run", "profiling", "profiling run"),
    ("warming_up_model", "warm-up", "warm-up run"),
    ("_dummy_run", "warm-up", "dummy run"),
    ("_dummy_sampler_run", "warm-up", "sampler"),
    ("_dummy_pooler_run", "warm-up", "pooler"),
    ("capture_model", "graph capture", "graph capture"),
    ("profile_cudagraph_memory", "graph capture", "memory estimate"),
    ("initialize_kv_cache", "KV cache", "setting up"),
    ("initialize_kv_cache_tensors", "KV cache", "allocation"),
    ("initialize_attn_backend", "KV cache", "attention backend"),
    ("initialize_metadata_builders", "KV cache", "attention backend"),
)
_WORKERS = (
    ("vllm.v1.worker.gpu_worker", "Worker"),
    ("vllm.v1.worker.cpu_worker", "CPUWorker"),
    ("vllm.v1.worker.xpu_worker", "XPUWorker"),
    ("vllm.v1.worker.tpu_worker", "TPUWorker"),
)
_WORKER = (
    ("__init__", "construction", "worker"),
    ("init_device", "device", "initialisation"),
    ("load_model", "model", "loading"),
    ("determine_available_memory", "profiling", "memory"),
    ("initialize_from_config", "KV cache", "setting up"),
    ("initialize_cache", "KV cache", "setting up"),
    ("get_kv_cache_spec", "KV cache", "specification"),
)
_OTHERS = (
    ("vllm.v1.worker.worker_base", "WorkerWrapperBase.init_worker", "construction", "worker"),
    ("vllm.worker.worker_base", "WorkerWrapperBase.init_worker", "construction", "worker"),
    ("vllm.v1.executor.multiproc_executor", "WorkerProc.__init__", "construction", "worker"),
    ("vllm.v1.worker.gpu_worker", "init_worker_distributed_environment", "device", "distributed"),
    ("vllm.v1.worker.cpu_worker", "init_worker_distributed_environment", "device", "distributed"),
    ("vllm.distributed.parallel_state", "init_distributed_environment", "device", "distributed"),
    ("vllm.distributed.parallel_state", "initialize_model_parallel", "device", "distributed"),
    ("vllm.v1.worker.utils", "allocate_kv_cache", "KV cache", "allocation"),
    (
        "vllm.model_executor.model_loader.base_loader",
        "BaseModelLoader.load_model",
        "model",
        "loading",
    ),
    (
        "vllm.model_executor.model_loader.loader",
        "DefaultModelLoader.load_model",
        "weights",
        "reading",
    ),
    ("vllm.model_executor.model_loader.loader", "_initialize_model", "model", "building modules"),
    (
        "vllm.model_executor.model_loader.loader",
        "_process_weights_after_loading",
        "weights",
        "post-processing",
    ),
    ("vllm.model_executor.model_loader.utils", "initialize_model", "model", "building modules"),
    ("vllm.model_executor.model_loader.utils", "get_model_architecture", "model", "model class"),
    (
        "vllm.model_executor.model_loader.utils",
        "process_weights_after_loading",
        "weights",
        "post-processing",
    ),
    (
        "vllm.model_executor.model_loader.weight_utils",
        "download_weights_from_hf",
        "weights",
        "download",
    ),
    (
        "vllm.model_executor.model_loader.weight_utils",
        "get_total_bytes_on_disk",
        "weights",
        "finding files",
    ),
    ("vllm.model_executor.warmup.kernel_warmup", "kernel_warmup", "warm-up", "kernels"),
    (
        "vllm.model_executor.warmup.kernel_warmup",
        "flashinfer_autotune",
        "warm-up",
        "FlashInfer autotune",
    ),
    ("vllm.model_executor.warmup.deep_gemm_warmup", "deep_gemm_warmup", "warm-up", "DeepGEMM"),
    ("vllm.v1.worker.gpu.warmup", "warmup_kernels", "warm-up", "kernels"),
    ("vllm.compilation.backends", "VllmBackend.__call__", "compile", "graph splitting and pieces"),
    ("vllm.compilation.backends", "CompilerManager.load", "compile", "cache load"),
    ("vllm.compilation.backends", "CompilerManager.compile", "compile", "inductor"),
    ("vllm.compilation.decorators", "_try_load_aot_compiled_fn", "compile", "cache load"),
    ("vllm.compilation.decorators", "save_aot_compiled_function", "compile", "cache save"),
    ("vllm.compilation.compiler_interface", "trigger_inductor_lazy_init", "compile", "inductor"),
    ("triton.compiler.compiler", "compile", "compile", "Triton kernel"),
)


def _rows() -> list[Row]:
    methods = [
        (module, f"{cls}.{method}", group, name)
        for classes, members in ((_WORKERS, _WORKER), (_RUNNERS, _RUNNER))
        for module, cls in classes
        for method, group, name in members
    ]
    loads = [(module, f"{cls}.load_weights", "weights", "reading") for module, cls in _LOADERS]
    return [
        Row(module, function, group, name, announced=name in ("loading", "reading", "memory"))
        for module, function, group, name in (*methods, *loads, *_OTHERS)
    ]


ROWS = tuple(_rows())
