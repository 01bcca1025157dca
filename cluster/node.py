"""
A real one-node Kubernetes, by hand.

    python3 cluster/node.py up        bring it up (root; make cluster first)
    python3 cluster/node.py status    what is up on this machine
    python3 cluster/node.py kubectl get pods
    python3 cluster/node.py push engine-base
    python3 cluster/node.py down      take it down, and what killed tests left

Exit codes: 0 done · 1 nothing is up · 2 wrong usage · 3 Kubernetes or the
machine failed · kubectl's own.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from onenode import Assets, Client, ClusterFailed, Entry, Image, OneNode, entries, sweep
from onenode.home import home
from onenode.leftovers import take_down
from onenode.registry import HOST, Registry

DONE = 0
NOTHING_UP = 1
OUTSIDE_FAILED = 3


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="node.py", description="A real one-node Kubernetes. More: cluster/README.md"
    )
    parser.add_argument(
        "--state",
        type=Path,
        default=home(os.environ) / "node",
        help="where its files lie (default: %(default)s)",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="bring it up and wait until the node is Ready")
    up.add_argument("--name", default="node-1", help="the node's name")
    commands.add_parser("down", help="take it down, and what killed tests left behind")
    commands.add_parser("status", help="say what is up on this machine")
    push = commands.add_parser("push", help="put a prepared image into its registry")
    push.add_argument("image", choices=["small", "engine-base"])
    kubectl = commands.add_parser("kubectl", help="run kubectl against it")
    kubectl.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(given)


def built() -> Assets:
    """Give what `prepare.py` made."""
    assets = Assets.built()
    if assets is None:
        raise ClusterFailed("Kubernetes is not prepared", remedy="run make cluster first")
    return assets


def up(state: Path, name: str) -> int:
    """Bring a node up that outlives this command."""
    began_s = time.monotonic()
    node = OneNode.up(state, assets=built(), name=name, owned=False)
    took_s = time.monotonic() - began_s
    sys.stderr.write(f"{name} is Ready after {took_s:.0f} s; logs: {state / 'log'}\n")
    print(f"export KUBECONFIG={node.kubeconfig}")
    print(f"export PATH={node.servers.assets.bin}:$PATH")
    return DONE


def down(state: Path) -> int:
    """Take the node down that is up, and every one whose owner is gone."""
    entry = Entry.of(state)
    if entry is not None:
        take_down(entry)
        sys.stderr.write(f"down: {state}\n")
    for left in sweep():
        sys.stderr.write(f"down: {left}, whose owner was gone\n")
    return DONE


def status() -> int:
    """List what is up."""
    found = list(entries())
    for entry in found:
        owner = "by hand" if entry.owner is None else f"by process {entry.owner.pid}"
        if entry.abandoned:
            owner += ", which is gone (node.py down removes it)"
        running = [name for name in entry.processes.names() if entry.processes.find(name)]
        print(f"{entry.kind} {entry.id} in {entry.state}, brought up {owner}")
        print(f"  runs: {', '.join(running) or 'nothing'}")
        print(f"  KUBECONFIG={entry.state / 'admin.kubeconfig'}")
    if not found:
        sys.stderr.write("nothing is up\n")
    return DONE if found else NOTHING_UP


def client(state: Path) -> Client:
    """Give a kubectl for the node that is up."""
    if Entry.of(state) is None:
        raise ClusterFailed(f"no node is up in {state}", remedy="run node.py up")
    return Client(kubeconfig=state / "admin.kubeconfig", binary=built().bin / "kubectl")


def push(state: Path, name: str) -> int:
    """Put a prepared image where pods can pull it."""
    server = client(state).address()["server"]
    address = server.removeprefix("https://").partition(":")[0]
    reference = f"{HOST}/{name}:1"
    registry = Registry(address=address, folder=state / "registry")
    registry.push(Image.load(built().images / name), reference)
    print(reference)
    return DONE


def main(given: Sequence[str]) -> int:
    """Carry out one command; failures become a sentence and an exit code."""
    try:
        options = arguments(given)
        state: Path = options.state.absolute()
        match options.command:
            case "up":
                return up(state, options.name)
            case "down":
                return down(state)
            case "status":
                return status()
            case "push":
                return push(state, options.image)
            case _:
                done = client(state).run(*options.arguments, timeout_s=3600)
                sys.stdout.write(done.stdout)
                sys.stderr.write(done.stderr)
                return done.returncode
    except ClusterFailed as failure:
        sys.stderr.write(f"cluster: {failure.message}\n  remedy: {failure.remedy}\n")
        return OUTSIDE_FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
