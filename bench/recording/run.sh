#!/bin/sh
# Usage: [PROGRAM=calls|threads] run.sh BUILD_DIRECTORY [openmpi|mpich …]. Added ns of CPU per call: the same program
# without the recorder, with it preloaded but recording off, recording everything, and adding up (--stats); best of three
# runs of each, interleaved.
set -eu
build=$1
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/mora-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- openmpi mpich
for flavour in "$@"; do
  "mpicc.$flavour" -O2 -w -fopenmp -I"$here/../../include" -o "$work/calls" "$here/${PROGRAM:-calls}.c"
  for _ in 1 2 3; do
    "mpirun.$flavour" -n 1 "$work/calls" >>"$work/plain"
    for mode in off on stats; do
      rm -rf "$work/experiment" && mkdir "$work/experiment"
      "mpirun.$flavour" -n 1 env LD_PRELOAD="$build/lib/libmora_mpi-$flavour.so" MORA_DIR="$work/experiment" \
        MORA_RECORD="$([ "$mode" = off ] && echo 0 || echo 1)" MORA_STATS="$([ "$mode" = stats ] && echo 1 || echo 0)" \
        "$work/calls" >>"$work/$mode"
    done
  done
  echo "$flavour: ns of CPU per call (best of 3 runs of best of 5 loops)"
  awk -v OFS='\t' '
    !($1 in seen) { seen[$1]; order[++n] = $1 }
    { k = FILENAME; sub(/.*\//, "", k); if (!((k, $1) in best) || $2 < best[k, $1]) best[k, $1] = $2 }
    END {
      bare = best["plain", "bare"]
      printf "%-22s %8s %8s %8s %10s %10s %8s %12s\n", "loop", "plain", "off", "on", "added off", "added on", "x bare", "added stats"
      for (i = 1; i <= n; i++) {
        o = order[i]; p = best["plain", o]
        if (o == "bare") printf "%-22s %8.1f\n", o, p
        else printf "%-22s %8.1f %8.1f %8.1f %10.1f %10.1f %8.2f %12.1f\n", o, p, best["off", o], best["on", o], best["off", o] - p, best["on", o] - p, (best["on", o] - p) / bare, best["stats", o] - p
      }
    }' "$work/plain" "$work/off" "$work/on" "$work/stats"
  rm -f "$work/plain" "$work/off" "$work/on" "$work/stats"
done
