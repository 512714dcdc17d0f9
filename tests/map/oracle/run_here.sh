#!/bin/sh
# Stands in for ssh (plm_rsh_agent of mpirun): whatever the node is called, its daemon runs here. Each has a directory of its
# own as on a node of its own: two daemons that share one write the same shared-memory files, and one of them crashes.
while [ "${1#-}" != "$1" ]; do shift; done
shift
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
TMPDIR=$own sh -c "$*"
