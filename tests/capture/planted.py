"""One secret of each kind, and the places it can stand in."""

HF = "hf_" + "Ab1Cd2Ef3Gh4Ij5Kl6"
SK = "sk-proj-" + "a1B2c3D4e5F6g7H8"
AWS_ID = "AKIA" + "ABCDEFGHIJKLMNOP"
AWS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTYifQ." + "c2lnbmF0dXJlLW9mLWl0"
BASIC = "dXNlcjpvcGVuc2VzYW1l"
BEARER = "b3a7-opaque-bearer-value"
PASSWORD = "pl4nt3d-p4ssw0rd"
SIGNATURE = "5f1e0c0ffee5f1e0c0ffee"
KEY_LINES = ("MIIEowIBAAKCAQEAplantedplanted", "q83vEjRWeJCrze8SNFZ4kKvN7xI0Vg==")
PEM = "-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----".format(*KEY_LINES)

TEXTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Hugging Face token": (f"using token {HF} for the hub", (HF,)),
    "API key": (f"client made with {SK}", (SK,)),
    "AWS access key": (f"signed by {AWS_ID}", (AWS_ID,)),
    "AWS secret": (f"aws_secret_access_key={AWS_KEY}", (AWS_KEY,)),
    "bearer header": (f"Authorization: Bearer {BEARER}", (BEARER,)),
    "headers as a dict": (f"{{'Authorization': 'Bearer {BEARER}', 'a': 'b'}}", (BEARER,)),
    "basic header": (f"Authorization: Basic {BASIC}", (BASIC,)),
    "basic in prose": (f"sent Basic {BASIC} to the proxy", (BASIC,)),
    "JSON web token": (f"claims of {JWT} expired", (JWT,)),
    "URL with a password": (f"connecting to redis://me:{PASSWORD}@cache:6379/0", (PASSWORD,)),
    "S3 presigned URL": (
        f"GET https://b.s3.amazonaws.com/m?X-Amz-Credential={AWS_ID}%2F9&X-Amz-Signature={SIGNATURE}",
        (SIGNATURE, AWS_ID),
    ),
    "S3 security token": (
        f"https://b.s3.amazonaws.com/m?X-Amz-Security-Token={AWS_KEY}&X-Amz-Signature={SIGNATURE}",
        (AWS_KEY, SIGNATURE),
    ),
    "Azure SAS": (
        f"https://a.blob.core.windows.net/m/x?sv=2024-11-04&se=2026-11-30&sp=r&sig={SIGNATURE}%3D",
        (SIGNATURE,),
    ),
    "GCS signed URL": (
        f"https://storage.googleapis.com/b/m?X-Goog-Expires=9&X-Goog-Signature={SIGNATURE}",
        (SIGNATURE,),
    ),
    "vLLM's own arguments": (
        f"non-default args: {{'api_key': ['{PASSWORD}', 'second {PASSWORD}'], 'port': 8000}}",
        (PASSWORD,),
    ),
    "an option": (f"exec vllm serve m --api-key {PASSWORD} --port 1", (PASSWORD,)),
    "a typed value": (f"Namespace(hf_token=SecretStr('{PASSWORD}'))", (PASSWORD,)),
    "JSON in JSON": (rf'{{"m": "{{\"api_key\": \"{PASSWORD}\"}}"}}', (PASSWORD,)),
    "camel case": (f"secretAccessKey: {PASSWORD}", (PASSWORD,)),
    "private key": (PEM, KEY_LINES),
}
"""A text for each kind, and the words that must not survive."""

INNOCENT = (
    "Avg prompt throughput: 10.0 tokens/s, Running: 1 reqs, GPU KV cache usage: 0.1%",
    "Using max_model_len: 4096, eos_token_id: 151645, bos_token: '<s>'",
    "stop token: 151645",
    "Basic usage of the tokenizer, see https://docs.example.com/usage?page=2",
    "hf_token=None api_key=None",
    "Loading safetensors checkpoint shards: 100% Completed | 1/1",
    "GET https://b.s3.amazonaws.com/m/model.safetensors 200",
    "vllm serve m --api-key $(KEY) --hf-token ${HF_TOKEN}",
    "Bearer token is missing",
    "sleeping task sk-1 of worker",
)
"""What an engine prints every day, and must keep."""
