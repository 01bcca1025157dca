#!/bin/sh
# An interpreter for the recipe that installs nothing. Called the four ways the
# recipe calls one, it leaves the same kinds of files, in milliseconds.
#
#   FAKE_CALLS     file that gets a line for each call
#   FAKE_KILL_AT   step in whose middle the whole process group is killed
#   FAKE_FAIL_AT   step that prints FAKE_WORDS and fails
#   FAKE_SLOW_AT   step that takes FAKE_SECONDS longer
#   FAKE_CUDA      version of CUDA that the index's torch is built for
shift
case "$1 $2" in
  "-m venv") step=venv; venv=$3 ;;
  "-m pip") step=pip ;;
  */import_check.py*) step=check ;;
  */tiny_model.py*) step=model; model=$2 ;;
esac
: "${venv:=${0%/bin/python}}"
packages=$venv/lib/python3.11/site-packages
echo "$step $*" >> "$FAKE_CALLS"

middle() {
  if [ "$FAKE_SLOW_AT" = "$step" ]; then sleep "$FAKE_SECONDS"; fi
  if [ "$FAKE_KILL_AT" = "$step" ]; then kill -9 0; fi
  if [ "$FAKE_FAIL_AT" = "$step" ]; then echo "$FAKE_WORDS"; exit 1; fi
}

case $step in
  venv)
    mkdir -p "$venv/bin"
    cp "$0" "$venv/bin/python"
    middle
    mkdir -p "$packages/pip-23.2.1.dist-info"
    ;;
  pip)
    echo "Collecting torch==2.13.0"
    echo "  Downloading torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl (191.8 MB)"
    echo "$TMPDIR" > "$venv/temporary-files"
    mkdir -p "$packages/torch-2.13.0.dist-info" "$packages/torch"
    middle
    echo "cuda: Optional[str] = ${FAKE_CUDA:-None}" > "$packages/torch/version.py"
    case "$*" in *--no-deps*) ;; *) mkdir "$packages/nvidia" ;; esac
    echo "#!$venv/bin/python" > "$venv/bin/vllm"
    ;;
  check)
    middle
    if [ -n "$FAKE_CUDA" ] && [ ! -e "$packages/nvidia" ]; then
      echo "OSError: libcudart.so.13: cannot open shared object file: No such file or directory"
      exit 1
    fi
    echo "a library's own words"
    echo '{"torch": "2.13.0+cpu", "torch_cuda": null, "vllm": "0.32.0+cpu", "platform": "cpu"}'
    ;;
  model)
    mkdir -p "$model"
    echo '{}' > "$model/config.json"
    printf half > "$model/model.safetensors"
    middle
    printf 'half and the other half' > "$model/model.safetensors"
    ;;
esac
