"""
Whether a cluster enforces NetworkPolicies, as far as one can tell.

An API server takes every NetworkPolicy and enforces none: that is the network plugin's work,
and no field says whether it does it. What is installed tells: some plugins always enforce,
Amazon's only where it is switched on, flannel never. Of a plugin that is not known here nothing
is concluded.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from firstlight.core.objects import Object, metadata, name, spec

_ALWAYS = {
    "antrea-agent": "Antrea",
    "azure-npm": "Azure NPM",
    "calico-node": "Calico",
    "canal": "Canal",
    "kube-network-policies": "kube-network-policies",
    "ovnkube-node": "OVN-Kubernetes",
    "rke2-canal": "Canal",
    "weave-net": "Weave Net",
}
_CILIUM = {"cilium": "Cilium", "anetd": "GKE Dataplane V2"}
_NEVER = {"kube-flannel-ds": "flannel", "kube-flannel": "flannel"}
_AMAZON, _AMAZON_SWITCH = "aws-node", "enable-network-policy"
_AMAZON_CONFIG, _CONFIG_SWITCH = "amazon-vpc-cni", "enable-network-policy-controller"
_CILIUM_CONFIG, _CILIUM_SWITCH = "cilium-config", "enable-policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyEnforcement:
    """What was concluded, and from what."""

    enforced: bool | None
    """None where nothing tells."""
    says: str


def policy_enforcement(
    daemon_sets: Iterable[Object], config_maps: Iterable[Object]
) -> PolicyEnforcement:
    """
    Whether NetworkPolicies are enforced.

    Args:
        daemon_sets: of all namespaces, or of `kube-system`.
        config_maps: of `kube-system`, those of the network plugins.
    """
    agents = {name(one): one for one in daemon_sets}
    configs = {name(one): one.get("data") or {} for one in config_maps}
    for agent, called in _ALWAYS.items():
        if agent in agents:
            return _found(agents[agent], enforced=True, called=called)
    for agent, called in _CILIUM.items():
        if agent in agents:
            never = configs.get(_CILIUM_CONFIG, {}).get(_CILIUM_SWITCH) == "never"
            why = f", whose {_CILIUM_CONFIG} says {_CILIUM_SWITCH}: never" if never else ""
            return _found(agents[agent], enforced=not never, called=called + why)
    if _AMAZON in agents or _AMAZON_CONFIG in configs:
        return _amazon(agents.get(_AMAZON), configs.get(_AMAZON_CONFIG, {}))
    for agent, called in _NEVER.items():
        if agent in agents:
            return _found(agents[agent], enforced=False, called=called)
    return PolicyEnforcement(
        enforced=None,
        says="whether NetworkPolicies are enforced cannot be told: no network plugin that is "
        "known here was seen",
    )


def _amazon(agent: Object | None, config: dict[str, Any]) -> PolicyEnforcement:
    """Amazon's plugin enforces only where its agent on the nodes is told to."""
    told = [*_switches(agent)] if agent else []
    if told:
        on = told[-1] == "true"
        where = f"the DaemonSet {_AMAZON} says --{_AMAZON_SWITCH}={told[-1]}"
    elif agent:
        on, where = False, f"the DaemonSet {_AMAZON} says no --{_AMAZON_SWITCH}=true"
    else:
        # Where the nodes are Amazon's own, the agent is no DaemonSet.
        switch = str(config.get(_CONFIG_SWITCH, "")).lower()
        on = switch == "true"
        where = f"{_AMAZON_CONFIG} says {_CONFIG_SWITCH}: {switch or 'nothing'}"
    return PolicyEnforcement(
        enforced=on,
        says=f"NetworkPolicies are {'' if on else 'not '}enforced: {where}",
    )


def _switches(agent: Object) -> Iterator[str]:
    """What the containers of Amazon's agent are told about policies, in order."""
    pod = (spec(agent).get("template") or {}).get("spec") or {}
    for container in pod.get("containers") or []:
        for word in container.get("args") or []:
            flag, _, value = str(word).lstrip("-").partition("=")
            if flag == _AMAZON_SWITCH:
                yield value.lower() or "true"


def _found(agent: Object, *, enforced: bool, called: str) -> PolicyEnforcement:
    where = f"{metadata(agent).get('namespace', '')}/{name(agent)}"
    return PolicyEnforcement(
        enforced=enforced,
        says=f"NetworkPolicies are {'' if enforced else 'not '}enforced: {where} is {called}",
    )
