"""Texts of a cluster, written for these tests in the forms that kubectl prints."""

POD = """\
Name:             qwen-6c9d7f5b8-x2k4p
Namespace:        models
Priority:         0
Service Account:  default
Node:             ip-10-0-3-7.ec2.internal/10.0.3.7
Start Time:       Tue, 10 Jun 2025 12:00:05 +0200
Labels:           app=qwen
                  pod-template-hash=6c9d7f5b8
Annotations:      prometheus.io/scrape: true
Status:           Running
IP:               10.0.3.44
IPs:
  IP:           10.0.3.44
Controlled By:  ReplicaSet/qwen-6c9d7f5b8
Init Containers:
  fetch:
    Container ID:  containerd://aaaa
    Image:         example.com/fetch:2
    Image ID:      example.com/fetch@sha256:1111
    Port:          <none>
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      Tue, 10 Jun 2025 12:00:08 +0200
      Finished:     Tue, 10 Jun 2025 12:00:20 +0200
    Ready:          True
    Restart Count:  0
    Environment:    <none>
Containers:
  vllm:
    Container ID:  containerd://bbbb
    Image:         vllm/vllm-openai:v0.11.0
    Image ID:      docker.io/vllm/vllm-openai@sha256:2222
    Port:          8000/TCP
    Host Port:     0/TCP
    Command:
      python3
      -m
      vllm.entrypoints.openai.api_server
    Args:
      --model
      Qwen/Qwen3-8B
      --served-model-name: qwen
    State:          Running
      Started:      Tue, 10 Jun 2025 12:05:21 +0200
    Last State:     Terminated
      Reason:       OOMKilled
      Message:      Traceback (most recent call last):
File "/x.py", line 3
  ValueError: no memory: none

      Exit Code:    137
      Signal:       9
      Started:      Tue, 10 Jun 2025 12:00:50 +0200
      Finished:     Tue, 10 Jun 2025 12:05:00 +0200
    Ready:          False
    Restart Count:  1
    Limits:
      cpu:             8
      memory:          24Gi
      nvidia.com/gpu:  1
    Requests:
      memory:   16Gi
    Liveness:   tcp-socket :8000 delay=15s timeout=2s period=20s #success=1 #failure=4
    Readiness:  http-get http://:8000/health delay=0s timeout=1s period=5s #success=1 #failure=3
    Startup:    exec [cat /tmp/up] delay=5s timeout=1s period=10s #success=1 #failure=60
    Environment:
      HF_HOME:  /cache
    Mounts:
      /cache from cache (rw)
  sidecar:
    Image:          example.com/sidecar:1
    State:          Waiting
      Reason:       ImagePullBackOff
    Ready:          False
    Restart Count:  0
Readiness Gates:
  Type                          Status
  target-health.example.com/x   False
Conditions:
  Type                        Status
  PodReadyToStartContainers   True
  Initialized                 True
  Ready                       False
  ContainersReady             False
  PodScheduled                True
Volumes:
  cache:
    Type:        EmptyDir (a temporary directory that shares a pod's lifetime)
QoS Class:       Burstable
Events:
  Type     Reason     Age                    From               Message
  ----     ------     ----                   ----               -------
  Normal   Scheduled  10m                    default-scheduler  Successfully assigned models/qwen-6c9d7f5b8-x2k4p to ip-10-0-3-7.ec2.internal
  Normal   Pulling    10m                    kubelet            Pulling image "vllm/vllm-openai:v0.11.0"
  Normal   Pulled     9m30s                  kubelet            Successfully pulled image "vllm/vllm-openai:v0.11.0" in 30.5s (30.5s including waiting). Image size: 9000000000 bytes.
  Normal   Created    4m45s (x2 over 9m16s)  kubelet            Created container: vllm
  Normal   Started    4m45s (x2 over 9m16s)  kubelet            Started container vllm
  Warning  Unhealthy  2m (x9 over 9m)        kubelet            Startup probe failed: cat: /tmp/up: No such file
"""  # noqa: E501

NODE = """\
Name:               ip-10-0-3-7.ec2.internal
Roles:              <none>
Labels:             karpenter.sh/nodepool=gpu
                    node.kubernetes.io/instance-type=g6.xlarge
Annotations:        node.alpha.kubernetes.io/ttl: 0
CreationTimestamp:  Tue, 10 Jun 2025 11:59:10 +0200
Taints:             nvidia.com/gpu=true:NoSchedule
                    node.kubernetes.io/unreachable:NoExecute
Unschedulable:      false
Lease:
  HolderIdentity:  ip-10-0-3-7.ec2.internal
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message
  ----             ------  -----------------                 ------------------                ------                       -------
  MemoryPressure   False   Tue, 10 Jun 2025 12:08:00 +0200   Tue, 10 Jun 2025 11:59:10 +0200   KubeletHasSufficientMemory   kubelet has sufficient memory available
  Ready            True    Tue, 10 Jun 2025 12:08:00 +0200   Tue, 10 Jun 2025 11:59:40 +0200   KubeletReady                 kubelet is posting ready status
Addresses:
  InternalIP:   10.0.3.7
Capacity:
  nvidia.com/gpu:     2
Allocatable:
  cpu:                3920m
  nvidia.com/gpu:     1
System Info:
  Container Runtime Version:  containerd://1.7.27
  Kubelet Version:            v1.33.1
ProviderID:                   aws:///us-east-1a/i-0aaa
Non-terminated Pods:          (1 in total)
  Namespace                   Name                    CPU Requests  CPU Limits
  ---------                   ----                    ------------  ----------
  models                      qwen-6c9d7f5b8-x2k4p    0 (0%)        8 (100%)
Events:
  Type    Reason     Age    From     Message
  ----    ------     ----   ----     -------
  Normal  Starting   9m20s  kubelet  Starting kubelet.
  Normal  NodeReady  8m40s  kubelet  Node ip-10-0-3-7.ec2.internal status is now: NodeReady
"""  # noqa: E501

NODE_CLAIM = """\
Name:         gpu-7xk2m
Namespace:
Labels:       karpenter.sh/capacity-type=spot
              node.kubernetes.io/instance-type=g6.xlarge
              topology.kubernetes.io/zone=us-east-1a
Annotations:  karpenter.sh/nodepool-hash: 123
API Version:  karpenter.sh/v1
Kind:         NodeClaim
Metadata:
  Creation Timestamp:  2025-06-10T09:58:40Z
  Finalizers:
    karpenter.sh/termination
Spec:
  Requirements:
    Key:       karpenter.sh/capacity-type
    Operator:  In
    Values:
      spot
Status:
  Allocatable:
    Cpu:             3920m
  Conditions:
    Last Transition Time:  2025-06-10T10:00:10Z
    Message:               Resource "nvidia.com/gpu" was requested but not registered
    Observed Generation:   1
    Reason:                ResourceNotRegistered
    Status:                False
    Type:                  Initialized
    Last Transition Time:  2025-06-10T09:58:43Z
    Message:
    Observed Generation:   1
    Reason:                Launched
    Status:                True
    Type:                  Launched
    Last Transition Time:  2025-06-10T09:59:12Z
    Message:
    Observed Generation:   1
    Reason:                Registered
    Status:                True
    Type:                  Registered
  Image ID:                ami-0aaa
  Node Name:               ip-10-0-3-7.ec2.internal
  Provider ID:             aws:///us-east-1a/i-0aaa
Events:
  Type    Reason            Age    From       Message
  ----    ------            ----   ----       -------
  Normal  Launched          2m17s  karpenter  Status condition transitioned, Type: Launched, Status: Unknown -> True, Reason: Launched
  Normal  DisruptionBlocked 2m15s  karpenter  Cannot disrupt NodeClaim: nominated for a pending pod
  Normal  Registered        108s   karpenter  Status condition transitioned, Type: Registered, Status: Unknown -> True, Reason: Registered
"""  # noqa: E501

DEPLOYMENT = """\
Name:               qwen
Namespace:          models
CreationTimestamp:  Mon, 09 Jun 2025 08:00:00 +0000
Labels:             app=qwen
Selector:           app=qwen
Replicas:           2 desired | 2 updated | 2 total | 1 available | 1 unavailable
StrategyType:       Recreate
MinReadySeconds:    0
Pod Template:
  Labels:  app=qwen
  Containers:
   vllm:
    Image:      vllm/vllm-openai:v0.11.0
    Port:       8000/TCP
Conditions:
  Type           Status  Reason
  ----           ------  ------
  Available      True    MinimumReplicasAvailable
OldReplicaSets:  <none>
NewReplicaSet:   qwen-6c9d7f5b8 (2/2 replicas created)
Events:          <none>
"""

REPLICA_SET = """\
Name:           qwen-6c9d7f5b8
Namespace:      models
Selector:       app=qwen,pod-template-hash=6c9d7f5b8
Labels:         app=qwen
Controlled By:  Deployment/qwen
Replicas:       1 current / 3 desired
Pods Status:    1 Running / 0 Waiting / 0 Succeeded / 0 Failed
Pod Template:
  Labels:  app=qwen
  Containers:
   vllm:
    Image:      vllm/vllm-openai:v0.11.0
Events:
  Type    Reason            Age   From                   Message
  ----    ------            ----  ----                   -------
  Normal  SuccessfulCreate  14m   replicaset-controller  Created pod: qwen-6c9d7f5b8-x2k4p
"""

EVENTS = """\
LAST SEEN   TYPE      REASON      OBJECT                     MESSAGE
2m14s       Normal    Scheduled   pod/qwen-6c9d7f5b8-x2k4p   Successfully assigned models/qwen-6c9d7f5b8-x2k4p to n1
2m13s       Normal    Pulling     pod/qwen-6c9d7f5b8-x2k4p   Pulling image "example.com/a:1"
74s         Normal    Pulled      pod/qwen-6c9d7f5b8-x2k4p   Successfully pulled image "example.com/a:1" in 59.4s
12s         Warning   Unhealthy   pod/qwen-6c9d7f5b8-x2k4p   Readiness probe failed: HTTP probe failed with statuscode: 503
"""  # noqa: E501

WIDE = """\
LAST SEEN   TYPE      REASON      OBJECT       SUBOBJECT                SOURCE              MESSAGE                     FIRST SEEN   COUNT   NAME
100s        Normal    Scheduled   pod/qwen-0                            default-scheduler   Successfully  assigned it   100s         1       qwen-0.1847a61787d3f280
99s         Normal    Pulling     pod/qwen-0   spec.containers{vllm}    kubelet, n1         Pulling image "a:1"         99s          1       qwen-0.1847a617c38d4100
10s         Warning   Unhealthy   pod/qwen-0   spec.containers{vllm}    kubelet, n1         Readiness probe failed:     40s          4       qwen-0.1847a625801b4a80
"""  # noqa: E501

VLLM_LOG = """\
INFO 06-10 12:05:31 [api_server.py:1839] vLLM API server version 0.11.0
(EngineCore_DP0 pid=72) INFO 06-10 12:05:47 [gpu_model_runner.py:2602] Starting to load model Qwen/Qwen3-8B...
Loading safetensors checkpoint shards: 100% Completed | 5/5 [00:03<00:00,  1.31it/s]
(EngineCore_DP0 pid=72) INFO 06-10 12:05:52 [default_loader.py:267] Loading weights took 3.91 seconds
{"asctime": "2025-06-10 12:05:52", "levelname": "INFO", "message": "init engine took 20.1 seconds"}
INFO:     Application startup complete.
"""  # noqa: E501

KARPENTER = """\
{"level":"INFO","time":"2025-06-10T09:58:39.100Z","logger":"controller","message":"found provisionable pod(s)","commit":"abc1234","controller":"provisioner","Pods":"models/qwen-6c9d7f5b8-x2k4p"}
{"level":"INFO","time":"2025-06-10T09:58:40.205Z","logger":"controller","message":"created nodeclaim","commit":"abc1234","controller":"provisioner","NodePool":{"name":"gpu"},"NodeClaim":{"name":"gpu-7xk2m"}}
{"level":"INFO","time":"2025-06-10T09:58:43.007Z","logger":"controller","message":"launched nodeclaim","commit":"abc1234","controller":"nodeclaim.lifecycle","controllerKind":"NodeClaim","NodeClaim":{"name":"gpu-7xk2m"},"name":"gpu-7xk2m","provider-id":"aws:///us-east-1a/i-0aaa","instance-type":"g6.xlarge","zone":"us-east-1a","capacity-type":"spot"}
{"level":"INFO","time":"2025-06-10T09:59:12.930Z","logger":"controller","message":"registered nodeclaim","commit":"abc1234","controllerKind":"NodeClaim","NodeClaim":{"name":"gpu-7xk2m"},"Node":{"name":"ip-10-0-3-7.ec2.internal"}}
{"level":"INFO","time":"2025-06-10T10:00:01.500Z","logger":"controller","message":"initialized nodeclaim","commit":"abc1234","controllerKind":"NodeClaim","NodeClaim":{"name":"gpu-7xk2m"},"Node":{"name":"ip-10-0-3-7.ec2.internal"}}
{"level":"INFO","time":"2025-06-10T10:00:31.000Z","logger":"controller","message":"disrupting node(s)","commit":"abc1234"}
"""  # noqa: E501
