#!/usr/bin/env bash
# Installs the lowest version that pyproject.toml allows of each package of the extra `train`, in an environment of its own
# below DIRECTORY, and trains two steps with them: GRPO on a tiny model in 4 bits, then SFT.
#
#   scripts/lowest-versions.sh DIRECTORY
#
# The packages that these need are the newest, as pip would take them. Needs .venv (scripts/setup.sh test), for uv.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
directory=$(cd "$1" && pwd)
uv=("$root/.venv/bin/python" -m uv)
python=$directory/venv/bin/python

"$root/.venv/bin/python" -m venv "$directory/venv"
# By pip, as in setup.sh: where pip is told of a build for the CPU, uv would fetch gigabytes for a GPU.
torch=$(sed -n 's/^ *"\(torch\)>=\([^"]*\)".*/\1==\2/p' "$root/pyproject.toml")
"$python" -m pip install --quiet --disable-pip-version-check "$torch"
"${uv[@]}" pip compile --quiet --no-header --no-annotate --resolution lowest-direct --python "$python" --extra train \
  "$root/pyproject.toml" | grep -v -E '^(torch|triton|nvidia-|cuda-)' >"$directory/lowest.txt"
"${uv[@]}" pip install --quiet --no-deps --python "$python" --requirements "$directory/lowest.txt"

cd "$directory"
export PYTHONPATH=$root HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1
"$python" -c '
from pathlib import Path
from tests.trainer_adapter.tiny_model import make_tokenizer, save_model
save_model(Path("model"), make_tokenizer())
row = "{\"prompt\": \"Add %d.\", \"completion\": \"a + %d\"}\n"
Path("examples.jsonl").write_text("".join(row % (n, n) for n in range(8)))'

train() { # KIND RECIPE SETTING…
  local kind=$1 recipe=$2 given=() setting
  shift 2
  for setting in model.path=model "run.directory=$kind" "$kind.use_cpu=true" "$kind.bf16=false" "$kind.max_steps=2" \
    "$kind.activation_checkpointing=true" "$@"; do given+=(--set "$setting"); done
  "$python" -m trainer_adapter "$kind" "$recipe" "${given[@]}" >"$kind.log" 2>&1 || { tail -n 40 "$kind.log"; exit 1; }
  tail -n 1 "$kind.log"
  [ -f "$kind/adapter/adapter_model.safetensors" ]
}
train grpo luogu_qwen2.5_coder_3b_tinylora grpo.max_completion_length=8 grpo.gradient_accumulation_steps=2
train sft qwen3_4b_sft data.source=examples.jsonl sft.per_device_train_batch_size=1 sft.gradient_accumulation_steps=1
