#!/usr/bin/python3
"""A .cubex file of a million ranks in a browser: no page is blank, pages have few elements, a rank is found by its number.

    million_test.py MORA SAMPLE_EXPERIMENT VIEWER
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import viewer_test
from viewer_test import SAMPLE, VIEWER, Server, skip_without_viewer

RANKS = 1_000_000


def main():
    skip_without_viewer()
    why = viewer_test.missing()
    if why:
        print(f"{why}: nothing was tested")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SAMPLE, f"{folder}/million", str(RANKS)], check=True)
        server = Server(str((pathlib.Path(folder) / "million/analysis.cubex").rename(f"{folder}/million.cubex")))
        try:
            task = json.dumps({"url": server.url, "viewer": VIEWER, "chromium": shutil.which("chromium"), "ranks": RANKS})
            done = subprocess.run(["node", viewer_test.HERE / "million_test.mjs", task], timeout=600)
        finally:
            server.stop()
    sys.exit(done.returncode)


main()
