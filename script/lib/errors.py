"""Every error code has its line and its section in the documentation, and the documentation has no other."""

import re

ENUM = "src/base/error.hpp"
TABLE = "docs/errors/README.md"


def check(sources):
    by_path = {source.path: source for source in sources}
    if ENUM not in by_path or TABLE not in by_path:
        return
    enum, table = by_path[ENUM], by_path[TABLE]
    body = re.search(r"enum class ErrorCode[^{]*\{([^}]*)\}", enum.code)
    codes = {name.upper() for name in re.findall(r"\b([a-z]\w*)\b\s*(?:=[^,]*)?(?:,|$)", body.group(1).strip())}
    documented = {match.group(1): match.start() for match in re.finditer(r"^\| `([A-Z_]+)` \|", table.text, re.M)}
    sections = {match.group(1): match.start() for match in re.finditer(r"^## `([A-Z_]+)`$", table.text, re.M)}
    for code in sorted(codes - documented.keys()):
        yield table.finding(1, f"has no line for {code} of {ENUM}: add one")
    for code in sorted(codes - sections.keys()):
        yield table.finding(1, f"has no section for {code} of {ENUM}: add one")
    for code in sorted(documented.keys() - codes):
        yield table.finding(table.line_at(documented[code]), f"{code} is not in {ENUM}: take its line out")
    for code in sorted(sections.keys() - codes):
        yield table.finding(table.line_at(sections[code]), f"{code} is not in {ENUM}: take its section out")
