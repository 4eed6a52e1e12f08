#!/usr/bin/env python3
"""Wraps the paragraphs and list items of Markdown files at 100 columns.

Tables, code, headings, pictures and comments stay as they are. With --check nothing is written, and the exit code is 1
if a file would change.
usage: scripts/wrap_markdown.py [--check] FILE...
"""
import re
import sys
import textwrap

WIDTH = 100
ITEM = re.compile(r"(\s*)([-*]|\d+\.) +")


def unwrappable(line):
    return not line.strip() or line.lstrip().startswith(("|", "#", "<!--", "![", "$$")) or line.startswith("    ")


def wrapped(first, following, lines):
    # No line may begin with what Markdown takes for the start of something else.
    text = re.sub(r" +", " ", " ".join(line.strip() for line in lines))
    out = textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=following,
                        break_long_words=False, break_on_hyphens=False)
    for i in range(1, len(out)):
        while re.match(r"\s*([-*+|#]|\d+\.)( |$)", out[i]) and " " in out[i - 1].strip():
            out[i - 1], word = out[i - 1].rsplit(" ", 1)
            out[i] = following + word + " " + out[i].strip()
    return out


def wrap(text):
    out, lines, i = [], text.split("\n"), 0
    in_code = False
    in_item = ""  # what the continuation lines of a list item are indented by
    while i < len(lines):
        line = lines[i]
        if line.lstrip().startswith("```"):
            in_code = not in_code
        item = ITEM.match(line)
        continues = bool(in_item) and line.startswith(in_item) and line.strip() and not line.startswith(in_item + "    ")
        if in_code or line.lstrip().startswith("```") or (unwrappable(line) and not item and not continues):
            out.append(line)
            i += 1
            if line.strip() and not line.startswith(" "):
                in_item = ""
            continue
        first = item.group(0) if item else in_item if continues else ""
        following = " " * len(first)
        in_item = following
        paragraph = [line[len(first):]]
        i += 1
        while i < len(lines) and lines[i].strip() and not ITEM.match(lines[i]) and \
                not lines[i].lstrip().startswith(("```", "|", "#", "<!--", "![")):
            paragraph.append(lines[i])
            i += 1
        out += wrapped(first, following, paragraph)
    return "\n".join(out)


def main(words):
    check = "--check" in words
    changed = []
    for name in (word for word in words if word != "--check"):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        new = wrap(text)
        if new != text:
            changed.append(name)
            if not check:
                with open(name, "w", encoding="utf-8") as file:
                    file.write(new)
    if check and changed:
        print("not wrapped at 100 columns, scripts/lint.sh --fix-format does it:", *changed, file=sys.stderr)
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
