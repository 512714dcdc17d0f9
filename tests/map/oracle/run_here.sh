#!/bin/sh
# Stands in for ssh: whatever the node is called, its daemon runs here. Asked for by real_mpirun.py (plm_rsh_agent).
while [ "${1#-}" != "$1" ]; do shift; done
shift
exec sh -c "$*"
