#!/usr/bin/env python3
"""Builds the viewer and makes one C++ file of it: embed.py SOURCE DIST OUTPUT

Always succeeds: without Node.js or the packages of package-lock.json the file says why, and `mora view` prints that.
"""
import base64
import hashlib
import pathlib
import shutil
import subprocess
import sys

TYPES = {"index.html": "text/html; charset=utf-8", "app.js": "text/javascript; charset=utf-8",
         "app.css": "text/css; charset=utf-8"}


def build(source: pathlib.Path, dist: pathlib.Path) -> str:
    """Empty, or why there is no viewer."""
    if shutil.which("node") is None:
        return "Node.js and npm were not found when it was built"
    if not (source / "node_modules" / "esbuild").is_dir():
        return "the packages of viewer/package-lock.json were not installed (npm registry not reachable?)"
    done = subprocess.run(["node", str(source / "build.mjs"), str(dist)], capture_output=True, text=True)
    if done.returncode != 0:
        # A mistake in the sources must be seen; a broken installation must not stop the build of everything else.
        print(done.stdout + done.stderr, file=sys.stderr)
        return "building viewer/ failed"
    return ""


def literal(text: str) -> str:
    pieces = [text[i : i + 8000] for i in range(0, len(text), 8000)]
    return "\n".join(f'R"mora({piece})mora"' for piece in pieces) or '""'


def offline_page(source: pathlib.Path, dist: pathlib.Path) -> list[str]:
    """offline.html with style and script inside, cut where the data go. Nothing but this style and script may run."""
    parts = (source / "src/offline.html").read_text(encoding="utf-8").split("DATA")
    assert len(parts) == 2, "DATA must stand there exactly once"
    for mark, name in (("CSS", "app.css"), ("JS", "app.js")):
        text = (dist / name).read_text(encoding="utf-8")
        assert "</script" not in text.lower() and "</style" not in text.lower(), name
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        parts = [part.replace(f"{mark}-HASH", f"sha256-{digest}").replace(f"/*{mark}*/", text) for part in parts]
    return parts


def main() -> None:
    source, dist, output = (pathlib.Path(word) for word in sys.argv[1:4])
    why = build(source, dist)
    if why:
        print(f"note: mora view will not work: {why}", file=sys.stderr)
    lines = ["// Made by viewer/embed.py. Do not edit.", '#include "serve/assets.h"', "namespace mora::serve {",
             "const std::vector<Asset>& assets() {", "static const std::vector<Asset> all = {"]
    for name, kind in TYPES.items() if not why else []:
        text = (dist / name).read_text(encoding="utf-8")
        lines.append(f'{{"{"" if name == "index.html" else name}", "{kind}", {literal(text)}}},')
    shell = offline_page(source, dist) if not why else ["", ""]
    lines += ["};", "return all;", "}", "const OfflineShell& offline_shell() {",
              f"static const OfflineShell shell = {{{literal(shell[0])}, {literal(shell[1])}}};", "return shell;", "}",
              "const std::string& why_no_assets() {",
              f'static const std::string why = "{why}";', "return why;", "}", "}  // namespace mora::serve", ""]
    output.write_text("\n".join(lines), encoding="utf-8")


main()
