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

BETWEEN_NAME_AND_VALUE: dict[str, str] = {
    "colours": "\x1b[31mapi_key\x1b[0m=\x1b[32m{}\x1b[0m",
    "colours whose escape was lost": "[31mapi_key[0m=[32m{}[0m",
    "colours that JSON spells": r'{{"m": "\u001b[31mapi_key\u001b[0m=\u001b[32m{}\u001b[0m"}}',
    "colours that Python spells": r"'\x1b[31mapi_key\x1b[0m=\x1b[32m{}\x1b[0m'",
    "a coloured option": "--hf-token\x1b[0m {}",
    "quotes that a URL spells": "api_key%22%3A%22{}",
    "a quoted annotation": "api_key: \"str | None\" = '{}'",
    "a type in brackets": "api_key (str): '{}'",
    "an index": "api_key[0]={}",
    "words that touch": '["--api-key","first-one","{}"]',
    "a column": "HF_TOKEN\t{}",
    "a shell's word": "setenv HF_TOKEN {}",
    "spoken": "Using API key: {}",
    "a data source of Go": "dialing u:{}@tcp(h:3306)/db",
    "SQL": "create user u identified by '{}'",
    "a colour inside the name": "api_\x1b[1mkey={}",
    "an invisible letter": "api\u200b_key\u200b={}",
    "spaces that do not break": "api_key\u00a0=\u00a0{}",
    "wide signs": "api_key\uff1d{}",
    "many spaces": "api_key            = {}",
    "a table": "| api_key | {} |",
    "a drawn table": "\u2502 api_key \u2502 {} \u2502",
    "an arrow": ":api_key=>'{}'",
    "Go": "apiKey := {}",
    "an annotation": "api_key: Optional[str] = '{}'",
    "a union": "api_key: str | None = '{}'",
    "a typed field": "api_key: SecretStr = SecretStr('{}')",
    "bytes": "'api_key': b'{}'",
    "a pair": "('api_key', '{}')",
    "a pair of bytes": "(b'x-api-key', b'{}')",
    "a call": 'os.environ.setdefault("HF_TOKEN", "{}")',
    "an item": "os.environ['HF_TOKEN'] = '{}'",
    "words of a command": "['vllm', 'serve', '--api-key', 'first-one', '{}', '--port', '1']",
    "words of a command in JSON": '"args":["--hf-token","{}"]',
    "several keys": "vllm serve m --api-key first-one {} --port 1",
    "a quote inside": "password='a'{}'",
    "a bare quote inside": "password=a'{}",
    "a comma inside": "password=ab,{}",
    "URL escapes": "client_secret%3D{}",
    "HTML escapes": "&quot;api_key&quot;: &quot;{}&quot;",
    "JSON escapes": r'{{"api\u005fkey": "{}"}}',
    "a quote that JSON spells": r'{{"api_key": "a\u0022{}"}}',
    "JSON thrice": r"{{\\\"api_key\\\": \\\"{}\\\"}}",
    "a nested list": "api_key=[['first-one'], ['{}']]",
    "a dictionary": "'credentials': {{'db': {{'x': '{}'}}}}",
    "a variable of a container": '{{"name":"DB_PASSWORD","value":"{}"}}',
    "a variable as Go prints it": "EnvVar{{Name:HF_TOKEN,Value:{},ValueFrom:nil,}}",
    "XML": "<password>{}</password>",
    "an admin's key": "--admin-key {} --port 1",
    "a signing key": "--signing-key={}",
    "a key of our own": "MY_KEY={}",
    "several passphrases": "CUDA_PASSPHRASES={}",
    "a key and a number": "OPENAI_API_KEY_2={}",
    "a storage account": "AccountName=a;AccountKey={};EndpointSuffix=core.windows.net",
    "a cookie": "'cookies': {{'sid': '{}'}}",
    "a session": '"sid": "{}"',
    "curl": "curl -sSf -u admin:{} https://reg/v2/",
    "curl in words": "['curl', '--user', 'admin:{}', 'https://reg/v2/']",
    "kubectl": "kubectl create secret generic s --from-literal=foo={}",
    "sshpass": "sshpass -p {} ssh host",
    "sshpass in quotes": "sshpass -p '{}' ssh host",
    "docker login": "docker login -u me -p {} registry.example.com",
    "an unquestioned SAS": "SharedAccessSignature sr=https%3a%2f%2fh&sig={}&se=9",
    "the signature of a SAS": "SharedAccessSignature=sr=x&se=9&sig={}",
    "a signature without a question": "blob?sv=1&amp;sr=b&amp;sig={}",
    "a Slack webhook": "https://hooks.slack.com/services/T0/B0/{}",
    "a scheme of ours": "Authorization: ApiKey {}",
}
"""How a name and its value meet."""
TEXTS |= {
    kind: (form.format(PASSWORD), (PASSWORD,)) for kind, form in BETWEEN_NAME_AND_VALUE.items()
}
_RANDOM = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9"
TEXTS |= {
    f"{prefix}...": (f"sent {prefix}{_RANDOM} to it", (f"{prefix}{_RANDOM}",))
    for prefix in (
        *("npm_", "dckr_pat_", "gsk_", "r8_", "pypi-", "xapp-1-", "ya29.", "xoxb-", "glpat-"),
        *("GOCSPX-", "hvs.", "sk_live_", "xai-", "ghp_", "api_org_"),
    )
} | {"a colour inside a token": (f"sent hf_\x1b[0m{_RANDOM}", (_RANDOM,))}
"""Providers' keys, which nothing needs to name."""

ENGINE_CONFIG = (
    "(EngineCore pid=26) INFO 11-29 23:43:13 [core.py:133] Initializing a V1 LLM engine (v0.32.0) "
    "with config: model='/models/llama', speculative_config=None, tokenizer='/models/llama', "
    "skip_tokenizer_init=False, tokenizer_mode=auto, tokenizer_revision=None, max_seq_len=512, "
    "download_dir=None, kv_cache_dtype=auto, device_config=cpu, max_tokens=16, "
    "eos_token_id=151645, video_token_id: 151656, decoder_start_token_id=0, "
    "structured_outputs_config=StructuredOutputsConfig(backend='auto', reasoning_parser=''), "
    "observability_config=ObservabilityConfig(per_request_spec_decode_metrics='none'), "
    "compilation_config={'mode': <CompilationMode.VLLM_COMPILE: 3>, 'custom_ops': ['none'], "
    "'encoder_cudagraph_token_budgets': [], 'inductor_compile_config': "
    "{'enable_auto_functionalized_v2': False, 'post_grad_custom_post_pass': "
    "<vllm.compilation.pass_manager.PostGradPassManager object at 0x7f>, 'dce': True}, "
    "'inductor_passes': {}, 'pass_config': {'fuse_norm_quant': False, 'fuse_attn_quant': False}, "
    "'local_cache_dir': None}, kernel_config=KernelConfig(moe_backend='auto')"
)
"""What an engine of 0.32 says about itself, shortened, and fields of other models."""
INNOCENT = (
    ENGINE_CONFIG,
    "Avg prompt throughput: 10.0 tokens/s, Running: 1 reqs, GPU KV cache usage: 0.1%",
    "Using max_model_len: 4096, eos_token_id: 151645, bos_token: '<s>'",
    "stop token: 151645",
    "Basic usage of the tokenizer, see https://docs.example.com/usage?page=2",
    "hf_token=None api_key=None",
    "Loading safetensors checkpoint shards: 100% Completed | 1/1",
    "GET https://b.s3.amazonaws.com/m/model.safetensors 200",
    "vllm serve m --api-key $(KEY) --hf-token ${HF_TOKEN}",
    "Bearer token is missing",
    "\x1b[0;36m(APIServer pid=1)\x1b[0;0m INFO 11-29 [api_server.py:9] Starting vLLM server",
    "compile_key=ab12cd, cache_key: 77aa, missing_keys=['lm_head.weight'], sort_keys=True",
    "non-default args: {'model': 'm', 'served_model_name': ['tiny'], 'load_format': 'auto'}",
    "running as -u 1000:1000, image vllm@sha256:" + "0a" * 32,
    "Pulled docker-pullable://vllm@sha256:" + "0a" * 32,
    'MountVolume.SetUp failed for volume "x" : secret "hub-token" not found',
    "secretName: hub-token, tokenizer_path: /m, passes: 3, the key is in the door",
    "sleeping task sk-1 of worker",
)
"""What an engine prints every day, and must keep."""
