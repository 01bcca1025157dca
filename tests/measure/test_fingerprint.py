from firstlight.measure.fingerprint import fingerprint


def test_the_variables_that_change_a_start_are_kept_without_secrets() -> None:
    """The others are the user's own business."""
    found = fingerprint(
        host={"kernel": "6"},
        conditions={"load_average": [0.0]},
        environment={
            "VLLM_USE_AOT_COMPILE": "0",
            "HF_TOKEN": "hidden-token",
            "OMP_NUM_THREADS": "2",
            "HOME": "/root",
            "PATH": "/bin",
        },
    )

    assert found == {
        "host": {"kernel": "6"},
        "environment": {
            "HF_TOKEN": "***",
            "OMP_NUM_THREADS": "2",
            "VLLM_USE_AOT_COMPILE": "0",
        },
        "conditions": {"load_average": [0.0]},
        "engine_version": None,
    }


def test_where_caches_lie_and_what_is_loaded_is_kept() -> None:
    """All of it changes a start; a key that belongs to it is none of our business."""
    told = {
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9000",
        "AWS_REGION": "eu-central-1",
        "FASTSAFETENSORS_THREADS": "4",
        "LD_LIBRARY_PATH": "/opt/cuda/lib64",
        "LD_PRELOAD": "libtcmalloc.so",
        "PYTHONPATH": "/srv/plugins",
        "TMPDIR": "/scratch",
        "TOKENIZERS_PARALLELISM": "false",
        "TORCHINDUCTOR_CACHE_DIR": "/cache/inductor",
        "TRANSFORMERS_CACHE": "/cache/hf",
        "XDG_CACHE_HOME": "/cache",
    }
    keys = {"AWS_ACCESS_KEY_ID": "AKIA0123456789ABCDEF", "AWS_SECRET_ACCESS_KEY": "x" * 40}

    found = fingerprint(host={}, conditions={}, environment=told | keys)

    assert told == found["environment"]
