"""
What is taken from Debian 12, by the names of its packages.

Debian 12 ships etcd, containerd, runc, the network plugins, a registry and
kubectl ready to run. Of Kubernetes itself it ships only kubectl, but its
source package holds the whole upstream tree with every dependency, and its Go
is the last one that tree was seen to work with.
"""

RELEASE = "bookworm"
COMPONENT = "main"

NODE = (
    "busybox-static",
    "containerd",
    "containernetworking-plugins",
    "docker-registry",
    "etcd-client",
    "etcd-server",
    "kubernetes-client",
    "libseccomp2",
    "runc",
)
"""Unpacked and run from where they lie; nothing of them is installed."""

GO = (
    "golang-1.19-go",
    "golang-1.19-src",
    # The two libraries the Kubernetes tree has too old a copy of; see `kubernetes`.
    "golang-github-modern-go-concurrent-dev",
    "golang-github-modern-go-reflect2-dev",
)

SOURCE = "kubernetes"
UPSTREAM = "1.20.2"
"""The release inside the source package, whatever Debian's own version string says."""

ENGINE_BASE = ("~prequired", "g++", "libnuma1", "python3", "python3-dev", "ca-certificates")
"""
A root file system that vLLM runs in: Debian's required packages, Python 3.11,
the compiler and headers that Inductor asks for while vLLM starts, and the one
library that vLLM's kernels for CPU are linked to and do not bring.
"""
