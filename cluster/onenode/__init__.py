"""
A real Kubernetes for tests and demonstrations, up in seconds, gone without a trace.

    with OneNode.up(folder, assets=assets) as node:
        node.push_prepared("small")
        node.kubectl.apply({...})

`OneNode` is a cluster with one real node and needs root. `ControlPlane` is etcd
and an API server alone, on loopback, for anybody. The binaries come from
`prepare.py` beside this folder; `Assets` says where they lie.
"""

from onenode.assets import Assets
from onenode.clients import Client
from onenode.cluster import Cluster, ExistingCluster
from onenode.control_plane import ControlPlane
from onenode.engine import deployment, engine_pod
from onenode.failures import ClusterFailed
from onenode.images import Image, Layer
from onenode.leftovers import sweep
from onenode.node import OneNode
from onenode.register import Entry, entries

__all__ = [
    "Assets",
    "Client",
    "Cluster",
    "ClusterFailed",
    "ControlPlane",
    "Entry",
    "ExistingCluster",
    "Image",
    "Layer",
    "OneNode",
    "deployment",
    "engine_pod",
    "entries",
    "sweep",
]
