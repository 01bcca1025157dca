"""
The front end's functions: arguments, configuration, tokenizer, routes, server.

Several rows may mean the same work in different versions of the engine: the
table was measured on 0.32, and older names stand beside the ones of today.
Only those that exist are ever used.
"""

from __future__ import annotations

import _firstlight_spans as spans

Row = spans.Row

_ARGUMENTS = (
    ("vllm.engine.arg_utils", "EngineArgs.add_cli_args", "building the parser"),
    ("vllm.entrypoints.launchers.cli_args", "make_arg_parser", "building the parser"),
    ("vllm.entrypoints.openai.cli_args", "make_arg_parser", "building the parser"),
    (
        "vllm.entrypoints.cli.benchmark.main",
        "BenchmarkSubcommand.subparser_init",
        "building the parser",
    ),
    ("vllm.utils", "FlexibleArgumentParser.parse_args", "parsing"),
    ("vllm.utils.argparse_utils", "FlexibleArgumentParser.parse_args", "parsing"),
    ("vllm.entrypoints.launchers.cli_args", "validate_parsed_serve_args", "checking"),
    ("vllm.entrypoints.openai.cli_args", "validate_parsed_serve_args", "checking"),
)
_CONFIGURATION = (
    ("vllm.engine.arg_utils", "EngineArgs.from_cli_args", "engine arguments"),
    ("vllm.engine.arg_utils", "EngineArgs.create_engine_config", "engine config"),
    ("vllm.engine.arg_utils", "EngineArgs.create_model_config", "model config"),
    ("vllm.engine.arg_utils", "EngineArgs.create_speculative_config", "speculative config"),
    ("vllm.transformers_utils.config", "get_config", "config.json of the model"),
    ("vllm.transformers_utils.config", "try_get_generation_config", "generation config"),
    ("vllm.transformers_utils.config", "get_hf_image_processor_config", "image processor config"),
    (
        "vllm.transformers_utils.config",
        "get_sentence_transformer_tokenizer_config",
        "tokenizer config",
    ),
    (
        "vllm.transformers_utils.config",
        "get_safetensors_params_metadata",
        "headers of the checkpoint",
    ),
    (
        "vllm.model_executor.models.registry",
        "_LazyRegisteredModel.inspect_model_cls",
        "model class inspection",
    ),
    ("vllm.model_executor.models.registry", "_run_in_subprocess", "model class inspection"),
    ("vllm.model_executor.models.registry", "_LazyRegisteredModel.load_model_cls", "model class"),
    (
        "vllm.transformers_utils.runai_utils",
        "ObjectStorageModel.pull_files",
        "model files from object storage",
    ),
    ("vllm.config", "VllmConfig.__post_init__", "settling the config"),
    ("vllm.config.vllm", "VllmConfig.__post_init__", "settling the config"),
    ("vllm.config.model", "ModelConfig.__post_init__", "model config"),
)
_TOKENIZER = (
    ("vllm.transformers_utils.tokenizer", "get_tokenizer", "loading"),
    ("vllm.tokenizers.registry", "get_tokenizer", "loading"),
    ("vllm.renderers.registry", "renderer_from_config", "renderer"),
    ("vllm.renderers.base", "BaseRenderer.warmup", "chat template warm-up"),
    ("vllm.renderers.base", "BaseRenderer.warmup_mm", "multi-modal warm-up"),
    ("vllm.renderers.base", "BaseRenderer._join_mm_warmup", "multi-modal warm-up"),
    ("vllm.renderers.online_renderer", "OnlineRenderer.__init__", "renderer"),
    ("vllm.renderers.online_renderer", "OnlineRenderer.warmup", "chat template warm-up"),
    ("vllm.entrypoints.openai.serving_chat", "OpenAIServingChat.warmup", "chat template warm-up"),
)
_CLIENT = (
    ("vllm.v1.engine.async_llm", "AsyncLLM.__init__", "construction"),
    ("vllm.v1.engine.llm_engine", "LLMEngine.__init__", "construction"),
    ("vllm.v1.engine.processor", "Processor.__init__", "input processor"),
    ("vllm.v1.engine.input_processor", "InputProcessor.__init__", "input processor"),
    ("vllm.v1.engine.output_processor", "OutputProcessor.__init__", "output processor"),
    ("vllm.v1.engine.core_client", "MPClient.__init__", "sockets and handshake"),
    ("vllm.v1.engine.utils", "CoreEngineProcManager.__init__", "engine processes"),
    ("vllm.v1.utils", "CoreEngineProcManager.__init__", "engine processes"),
    ("vllm.v1.metrics.loggers", "StatLoggerManager.__init__", "metrics"),
)
_SERVER = (
    ("vllm.entrypoints.launchers.launcher", "setup_server", "socket"),
    ("vllm.entrypoints.openai.api_server", "setup_server", "socket"),
    ("vllm.entrypoints.openai.api_server", "create_server_socket", "socket"),
    ("vllm.entrypoints.launchers.app", "build_app", "routes"),
    ("vllm.entrypoints.openai.api_server", "build_app", "routes"),
    ("vllm.entrypoints.launchers.api_server.app_state", "init_app_state", "serving objects"),
    ("vllm.entrypoints.openai.api_server", "init_app_state", "serving objects"),
    ("vllm.entrypoints.launchers.launcher", "serve_http", "printing routes, loading the server"),
    ("vllm.entrypoints.launcher", "serve_http", "printing routes, loading the server"),
    ("vllm.entrypoints.serve.utils.fingerprint", "build_system_fingerprint", "system fingerprint"),
    ("uvicorn.config", "Config.load", "uvicorn"),
    ("uvicorn.server", "Server._serve", "uvicorn"),
    ("uvicorn.server", "Server.startup", "uvicorn"),
    ("uvicorn.lifespan.on", "LifespanOn.startup", "application"),
    ("uvicorn.lifespan.on", "LifespanOn.main", "application"),
    ("fastapi.applications", "FastAPI.openapi", "OpenAPI schema"),
)
_ENGINE_STARTUP = (
    ("vllm.v1.engine.utils", "wait_for_engine_startup"),
    ("vllm.v1.utils", "wait_for_engine_startup"),
    ("vllm.v1.engine.core_client", "MPClient._wait_for_engine_startup"),
    ("vllm.v1.utils", "BackgroundProcHandle.wait_for_startup"),
)
_ANNOUNCED = ("engine config", "construction")


def _rows() -> list[Row]:
    groups = (
        ("arguments", _ARGUMENTS),
        ("configuration", _CONFIGURATION),
        ("tokenizer", _TOKENIZER),
        ("engine client", _CLIENT),
        ("server", _SERVER),
    )
    rows = [
        Row(module, function, group, name, announced=name in _ANNOUNCED)
        for group, table in groups
        for module, function, name in table
    ]
    rows += [
        Row(
            module,
            function,
            "engine client",
            "waiting for the engine core",
            kind="wait",
            announced=True,
        )
        for module, function in _ENGINE_STARTUP
    ]
    return rows


ROWS = tuple(_rows())
