#!/bin/sh
# Has three agents review a repository with a skill, and prints their findings, the most severe first.
# Usage: three-reviews.sh <repository> <skill> [<seconds to wait>]
set -eu
repository=${1:?Usage: three-reviews.sh <repository> <skill> [<seconds to wait>]}
skill=${2:?Usage: three-reviews.sh <repository> <skill> [<seconds to wait>]}
seconds=${3:-900}
fleet=${FLEET:-npx fleet}

schema='{
  "type": "object",
  "required": ["findings"],
  "additionalProperties": false,
  "properties": {
    "findings": {
      "type": "array",
      "maxItems": 20,
      "items": {
        "type": "object",
        "required": ["severity", "file", "problem"],
        "additionalProperties": false,
        "properties": {
          "severity": { "enum": ["high", "medium", "low"] },
          "file": { "type": "string" },
          "problem": { "type": "string" }
        }
      }
    }
  }
}'
message="Review this repository with the skill $skill. Change nothing. Report each defect once: severity, file, problem."

tasks=''
for type in claude gpt gemini; do
  name="Reviewer ($type)"
  $fleet agents show "$name" >/dev/null 2>&1 || $fleet agents create -q "$name" --type "$type" >/dev/null
  task=$($fleet tasks add -q "$name" "$message" --repository "$repository" --skill "$skill" --schema "$schema" \
    --max-cost 2 --tag review)
  echo "$name: $task" >&2
  tasks="$tasks $type=$task"
done

# One deadline for all: they work at the same time.
ends=$(($(date +%s) + seconds))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
: >"$folder/findings"
for entry in $tasks; do
  type=${entry%%=*} task=${entry#*=}
  left=$((ends - $(date +%s)))
  if [ "$left" -lt 1 ]; then left=1; fi
  if $fleet --timeout "$left" tasks result "$task" --wait >"$folder/result"; then
    node -e '
      const { output, cost } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
      const ranks = { high: 1, medium: 2, low: 3 };
      for (const { severity, file, problem } of output.findings)
        console.log([ranks[severity], severity, process.argv[1], file, problem.replace(/\s+/g, " ")].join("\t"));
      console.error(`${process.argv[1]}: ${output.findings.length} findings, $${cost?.amount ?? "?"}`);
    ' "$type" <"$folder/result" >>"$folder/findings"
  else
    echo "$type: no review" >&2
    $fleet tasks cancel -q "$task" >/dev/null 2>&1 || true
  fi
done
sort "$folder/findings" | cut -f2-
