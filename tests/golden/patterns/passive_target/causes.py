"""Prints who caused the waiting of one metric, per finding, from a findings.json."""
import json
import sys

for finding in json.load(open(sys.argv[1]))["findings"]:
    if finding["metric"] == sys.argv[2]:
        causes = "; ".join(f"rank {cause['rank']} {cause['severity_s']:g}" for cause in finding["causes"])
        print(f"{finding['call_path'][-1]} {finding['severity_s']:g} in {finding['instances']} by {causes}")
