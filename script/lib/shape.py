"""Sizes of files and functions, the form of headers, and what g++ 12 gets wrong beside co_await."""

import ast
import pathlib
import re

import layers

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
SIZED = ("src", "include", "tests", "fuzz", "bench", "script", "cmake", "dashboard")

NOT_A_FUNCTION = re.compile(r"(?:template\s*<.*>\s*|inline\s+|export\s+|typedef\s+|static\s+)*"
                            r"(?:namespace|class|struct|union|enum)\b", re.S)

CAPTURES = re.compile(r"(?<![\w\])\[])(?<!auto )(?<!auto& )(?<!auto&& )\[([^\[\]]*)\]")


def check(source):
    if source.is_code and source.under(*SIZED):
        yield from check_size(source)
    if source.is_cpp:
        yield from check_header(source)
        yield from check_own_header_first(source)
        if not source.under("tests/compile_fail"):  # what breaks there is meant to
            yield from check_co_await(source)


def check_size(source):
    count = len(source.lines)
    if count > FILE_LINES_MAX:
        yield source.finding(FILE_LINES_MAX + 1, f"the file has {count} lines, {FILE_LINES_MAX} at most: "
                                                 "split it, one idea a file")
    for first, last in functions(source):
        if last - first + 1 > FUNCTION_LINES_MAX:
            yield source.finding(first, f"the function has {last - first + 1} lines, {FUNCTION_LINES_MAX} at most: "
                                        "give its parts names")


def functions(source):
    """(first line, last line) of each outermost function."""
    if source.is_cpp:
        return cpp_functions(source)
    if source.suffix == ".py":
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        return [(n.lineno, n.end_lineno) for n in ast.walk(ast.parse(source.text)) if isinstance(n, kinds)]
    return []


def cpp_functions(source):
    """By matching braces. In our format a brace that opens a block follows a space or a line's beginning, and one
    that opens an initialiser follows a name, a bracket or '='."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), source.code, flags=re.M)
    found, scopes, head = [], [], 0  # head: where the declaration under way begins
    for match in re.finditer(r"[{};]", code):
        at, mark = match.start(), match.group()
        inside = any(kind != "outer" for kind, _ in scopes)
        if mark == "{":
            kind = kind_of_block(code, head, at)
            scopes.append((kind, head))
            head = at + 1 if kind == "outer" and not inside else head
        elif mark == "}":
            kind, began = scopes.pop() if scopes else ("outer", at)
            inside = any(k != "outer" for k, _ in scopes)
            if kind == "function" and not inside:
                found.append((source.line_at(skip_space(code, began)), source.line_at(at)))
            if kind != "initialiser" and not inside:
                head = at + 1
        elif not inside:
            head = at + 1
    return found


def kind_of_block(code, head, at):
    text = code[head:at]
    if text[-1:] not in (" ", "\n", "") or text.rstrip().endswith(("=", ",", "(", "return")):
        return "initialiser"
    declaration = re.sub(r"^(?:\s*(?:public|private|protected)\s*:)+", "", text).strip()
    if NOT_A_FUNCTION.match(declaration) or "(" not in declaration:
        return "outer"
    return "function"


def skip_space(code, at):
    label = re.compile(r"(?:\s*(?:public|private|protected)\s*:)*\s*")
    return label.match(code, at).end()


def check_header(source):
    if source.suffix == ".hpp" and not re.search(r"^#pragma once$", source.code, re.M):
        yield source.finding(1, "a header begins with #pragma once")


def check_own_header_first(source, exists=lambda path: pathlib.Path(path).is_file()):
    if source.suffix != ".cpp" or not exists(source.path.removesuffix(".cpp") + ".hpp"):
        return
    own = pathlib.PurePosixPath(source.path).name.removesuffix(".cpp") + ".hpp"
    for line, name, _ in layers.includes(source):
        if pathlib.PurePosixPath(name).name != own:
            yield source.finding(line, f"include the file's own header, {own}, first")
        return


def check_co_await(source):
    """g++ 12 destroys some temporaries twice in a statement with co_await."""
    for match in re.finditer(r"\bco_await\b", source.code):
        begin = max(source.code.rfind(mark, 0, match.start()) for mark in (";", "}", " {", "\n{")) + 1
        end = re.compile(r";|[ \n]\{\n|\Z").search(source.code, match.end()).start()
        statement = source.code[begin:end]
        line = source.line_at(match.start())
        if re.search(r"[\w>]\{(?!\s*\})|[(,]\s*\{", statement):
            yield source.finding(line, "braces in a statement with co_await break under g++ 12: name the value first")
        if re.search(r"(?<!\?)\?(?!\?)", statement):
            yield source.finding(line, "?: in a statement with co_await breaks under g++ 12: use if")
        if any(owns(captures) for captures in CAPTURES.findall(statement)):
            yield source.finding(line, "a lambda that owns captures in a statement with co_await breaks under g++ 12: "
                                       "name it first, or capture by reference")


def owns(captures):
    """Whether a lambda's captures hold more than references and `this`."""
    return any(part.strip()[:1] not in ("&", "") and part.strip() != "this" for part in captures.split(","))
