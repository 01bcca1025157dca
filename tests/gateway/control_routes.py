"""The routes of vLLM 0.32.0 that are not for clients, and the ways to spell one."""

import posixpath
import re
from urllib.parse import quote, unquote

CONTROL = (
    "/abort_requests",
    "/collective_rpc",
    "/docs",
    "/fault_tolerance/apply",
    "/fault_tolerance/status",
    "/finish_weight_update",
    "/get_world_size",
    "/inference/v1/abort_requests",
    "/init_weight_transfer_engine",
    "/is_paused",
    "/is_scaling_elastic_ep",
    "/is_sleeping",
    "/kv_event_sources",
    "/load",
    "/openapi.json",
    "/pause",
    "/ping",
    "/release_kv_cache_memory",
    "/reset_encoder_cache",
    "/reset_mm_cache",
    "/reset_prefix_cache",
    "/resume",
    "/scale_elastic_ep",
    "/server_info",
    "/shutdown_weight_transfer_engine",
    "/sleep",
    "/start_draft_weight_update",
    "/start_profile",
    "/start_weight_update",
    "/stop_profile",
    "/tokenizer_info",
    "/update_weight_version",
    "/update_weights",
    "/v1/load_lora_adapter",
    "/v1/unload_lora_adapter",
    "/version",
    "/wake_up",
    "/weight_checker",
    "/weight_info",
)


def spellings(route: str) -> tuple[str, ...]:
    """Targets that some server on the way may take for a route."""
    name, first = route[1:], f"%{ord(route[1]):02x}"
    return (
        route,
        route.upper(),
        route.title(),
        f"/{route}",
        f"//{route}",
        f"/.{route}",
        f"/v1/..{route}",
        f"/v1/../{route}",
        f"/v1/models/../..{route}",
        f"/v1/..;{route}",
        f"/v1/.;/..{route}",
        f"/v1{route}/../..{route}",
        f"/{first}{name[1:]}",
        f"/{first.upper()}{name[1:]}",
        f"/%25{first[1:]}{name[1:]}",
        "/" + "".join(f"%{ord(letter):02x}" for letter in name),
        f"/%2f{name}",
        f"%2f{name}",
        f"/%2e{route}",
        f"/v1/%2e%2e{route}",
        f"/v1/%2E%2E%2f{name}",
        f"/v1/..%2f{name}",
        f"/v1/..%5c{name}",
        f"/v1/%252e%252e{route}",
        f"/v1/..\\{name}",
        f"\\{name}",
        f"/\\{name}",
        f"{route}/",
        f"{route}//",
        f"{route}/.",
        f"{route}/..",
        f"{route}/x/..",
        f"{route};",
        f"{route};/v1/models",
        f"{route}?level=2",
        f"{route}?",
        f"{route}#",
        f"{route}#/v1/models",
        f"/v1/models#/..{route}",
        f"{route}%00",
        f"{route}%20",
        f"{route}%0d%0a",
        f"{route}%3f",
        f"{route}%23",
        f"{route}&",
        f"{route}.",
        f"{route}.json",
        f"/v1{route}",
        f"/v1{route.upper()}",
        f"/V1{route}",
        f"/v1/x{route}",
        f"/v1/models{route}",
        f"/v1/responses/resp_1{route}",
        f"/v2{route}",
        f"/%u00{first[1:]}{name[1:]}",
        quote(route, safe=""),
        f"http://a{route}",
        f"http://127.0.0.1:8000{route}",
        f"https://a{route}",
        f"HTTP://a{route}",
        f"ws://a{route}",
        f"//a{route}",
        f"a:80{route}",
        name,
        f"*{route}",
    )


def sloppy(target: str) -> str:
    """The path that the most obliging server would take a target for."""
    target = re.sub(r"^[a-z+]+://[^/]*|^//+[^/]*(?=/[^/])", "", target, flags=re.IGNORECASE)
    for _ in range(4):
        target = unquote(target)
    path = re.split(r"[?#\x00]", target, maxsplit=1)[0]
    path = re.sub(r";[^/]*", "", path.replace("\\", "/")).strip().rstrip(".&")
    path = posixpath.normpath("/" + path).lower()
    return "/" + path.strip("/")
