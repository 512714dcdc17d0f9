"""Prints the broken rules of a findings.json, one per line."""
import json
import sys

for c in json.load(open(sys.argv[1]))["checks"]:
    line = f"{c['rule']} x{c['instances']} {c['window']} rank {c['rank']} {c['call_path'][-1]} {c['begin_s']:g}-{c['end_s']:g}"
    if c["partner_rank"] is not None:
        line += f" partner {c['partner_rank']}"
    if "partner_call_path" in c:
        line += f" {c['partner_call_path'][-1]} {c['partner_begin_s']:g}-{c['partner_end_s']:g}"
    print(line)
