#!/usr/bin/env python3
"""Turns the page's parts (page.html, page.css, page.js) into one C++ string: embed.py OUTPUT HTML CSS JS.

The page has three marks: /*CSS*/, /*JS*/ and /*DATA*/. The first two are filled here; html.cpp fills the last.
"""
import sys


def main() -> None:
    output, html, css, js = sys.argv[1:5]
    page = open(html, encoding="utf-8").read()
    for mark, name in (("/*CSS*/", css), ("/*JS*/", js)):
        if page.count(mark) != 1:
            sys.exit(f"{html}: {mark} must stand there exactly once")
        page = page.replace(mark, open(name, encoding="utf-8").read())
    if page.count("/*DATA*/") != 1:
        sys.exit(f"{html}: /*DATA*/ must stand there exactly once")
    head, tail = page.split("/*DATA*/")
    with open(output, "w", encoding="utf-8") as out:
        out.write("// Made by embed.py from src/report/html/. Do not edit.\n#include <string_view>\n")
        out.write("namespace mora::report {\n")
        for name, text in (("page_head", head), ("page_tail", tail)):
            # Long literals are split: compilers may refuse more than 65536 characters in one piece.
            pieces = [text[i : i + 8000] for i in range(0, len(text), 8000)]
            body = "\n".join(f'R"mora({piece})mora"' for piece in pieces)
            out.write(f"extern const std::string_view {name};\nconst std::string_view {name} = {body};\n")
        out.write("}  // namespace mora::report\n")


main()
