# The process that holds a node's namespaces, and the mounts that make the node
# believe it has the machine for itself. It runs inside them already, and ends as
# a `sleep`. From the environment: STATE, VISIBLE (folders, one a line), READY.
set -eu

mount --make-rprivate /
own=$STATE/own
mkdir -p "$own/cgroup" "$own/sysctl" "$own/log" "$STATE/var"

# /sys shows the interfaces of whoever mounts it; the control groups stay the machine's.
mount --rbind /sys/fs/cgroup "$own/cgroup"
mount -t sysfs sysfs /sys
mount --rbind "$own/cgroup" /sys/fs/cgroup

# A kubelet sets these for the whole machine. Here it finds them set, in files of ours.
keep() {
  [ -e "/proc/sys/$1" ] || return 0
  file=$own/sysctl/$(echo "$1" | tr / .)
  echo "$2" >"$file"
  mount --bind "$file" "/proc/sys/$1"
}
keep vm/overcommit_memory 1
keep vm/panic_on_oom 0
keep kernel/panic 10
keep kernel/panic_on_oops 1
keep kernel/keys/root_maxkeys 1000000
keep kernel/keys/root_maxbytes 25000000

# Paths that a kubelet and its runtime have built in, kept off the machine.
echo "$VISIBLE" | while read -r folder; do
  case $folder in
    /var/*)
      mkdir -p "$STATE$folder"
      mount --rbind "$folder" "$STATE$folder"
      ;;
  esac
done
mkdir -p "$STATE/var/lib/kubelet" "$STATE/var/lib/cni" "$STATE/var/log" "$STATE/var/tmp"
mount --rbind "$STATE/var" /var
mount -t tmpfs -o mode=755 tmpfs /run

# What a pod mounts reaches other containers only where mounts are shared.
mount --make-rshared /
: >"$READY"
exec sleep infinity
