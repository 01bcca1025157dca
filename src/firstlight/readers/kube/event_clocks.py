"""
Whose clock an event carries.

An event is stamped by the component that says it: the kubelet by the node's clock,
everybody else by the control plane's. Most tables have no component; then the reason
tells, because the kubelet's are its own.
"""

from firstlight.core.marks import Clock

_NODE_COMPONENTS = frozenset({"kubelet", "containerd", "kube-proxy", "kernel-monitor"})
_NODE_REASONS = frozenset(
    {
        *("Pulling", "Pulled", "Created", "Started", "Killing", "BackOff", "Failed"),
        *("Unhealthy", "ProbeWarning", "ErrImageNeverPull", "InspectFailed", "InvalidImageName"),
        *("FailedMount", "FailedMapVolume", "SuccessfulMountVolume", "VolumeFailedMount"),
        *("FailedCreatePodSandBox", "FailedKillPod", "FailedSync", "SandboxChanged"),
        *("FailedPostStartHook", "FailedPreStopHook", "NetworkNotReady", "ExceededGracePeriod"),
        *("Evicted", "Preempting", "UnexpectedAdmissionError", "FailedPrepareDynamicResources"),
        *("Starting", "NodeReady", "NodeNotReady", "NodeAllocatableEnforced", "Rebooted"),
        *("NodeHasSufficientMemory", "NodeHasNoDiskPressure", "NodeHasSufficientPID"),
        *("InvalidDiskCapacity", "ImageGCFailed", "FreeDiskSpaceFailed", "SystemOOM"),
        *("OOMKilling", "ContainerGCFailed"),
    }
)


def event_clock(component: str, reason: str) -> Clock:
    """The clock of an event, by who says it or else by what it says."""
    if component:
        return Clock.NODE if component in _NODE_COMPONENTS else Clock.CONTROL_PLANE
    # The kubelet refuses a pod with the name of what is missing: OutOfcpu, OutOfnvidia.com/gpu.
    on_node = reason in _NODE_REASONS or reason.startswith("OutOf")
    return Clock.NODE if on_node else Clock.CONTROL_PLANE
