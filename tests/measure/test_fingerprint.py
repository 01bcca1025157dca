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
