"""Links between the pages of the documentation lead to a file, and to a heading of it."""

import pathlib
import posixpath
import re

FENCE = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\[[^\]\n]*(?:\n[^\]\n]*)?\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+[ \t]+(.+?)[ \t]*$", re.M)


def check(sources, exists=lambda path: pathlib.Path(path).exists()):
    pages = {source.path: source for source in sources if source.suffix == ".md"}
    for page in pages.values():
        text = FENCE.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), page.text)
        for match in LINK.finditer(text):
            problem = problem_of(page.path, match.group(1), pages, exists)
            if problem:
                yield page.finding(page.line_at(match.start()), problem)


def problem_of(path, target, pages, exists):
    if re.match(r"[a-z]+:", target):
        return None  # somewhere else
    name, _, anchor = target.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
    if not exists(file):
        return f"the link {target} leads to no file: mend it"
    if anchor and file in pages and anchor not in anchors(pages[file]):
        return f"the link {target} leads to no heading: mend it"
    return None


def anchors(page):
    """What a heading is called in links: lower case, no punctuation, dashes for spaces."""
    text = FENCE.sub("", page.text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}
