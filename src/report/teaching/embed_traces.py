#!/usr/bin/env python3
"""Compiles the teaching traces in: embed_traces.py OUTPUT FOLDER makes one C++ file of all FOLDER/*.trace."""
import pathlib
import sys


def main() -> None:
    output, folder = sys.argv[1:3]
    rows = [f'    {{"{path.stem}", R"mora({path.read_text(encoding="utf-8")})mora"}},\n'
            for path in sorted(pathlib.Path(folder).glob("*.trace"))]
    text = ("// Made by embed_traces.py from docs/patterns/. Do not edit.\n"
            '#include "report/teaching/teaching.h"\n\nnamespace mora::report {\n\n'
            "const std::vector<TeachingTrace>& teaching_traces() {\n"
            f"  static const std::vector<TeachingTrace> all = {{\n{''.join(rows)}  }};\n"
            "  return all;\n}\n\n}  // namespace mora::report\n")
    pathlib.Path(output).write_text(text, encoding="utf-8")


main()
