"""Every example of the documentation is run by a test, or says why not.

A fenced block of the README, of docs (but decisions, which show what was decided) or of examples is one of these:
- `sh` between <!-- tour --> and <!-- /tour -->: tests/e2e/docs_test.cpp runs it, as it runs what a tour shows below
  `<!-- output of: COMMAND -->`;
- toml, yaml, json, or lines that start a server: tests/e2e/docs_files_test.cpp checks them, wherever they stand;
- below `<!-- run by FILE -->`, or on a page that says `<!-- every LANGUAGE is run by FILE -->`, where the file names the
  page or the first word of the block;
- below `<!-- not run: WHY -->`.
"""

import dataclasses
import pathlib
import re

CHECKED_FILES = {"toml", "yaml", "json"}
MARK = re.compile(r"^<!-- (run by|not run:|output of:) (.+) -->$")
EVERY = re.compile(r"^<!-- every (\S+) is run by (\S+) -->$", re.M)
REASON_MIN = 15


@dataclasses.dataclass(frozen=True)
class Block:
    line: int
    language: str
    in_tour: bool
    mark: str  # the kind of the line before it, and what that says
    says: str
    text: str

    @property
    def starts_servers(self):
        lines = [line for line in self.text.splitlines() if line.strip() and not line.startswith("#")]
        if self.language == "ini":
            return any("semel server" in line for line in lines)
        return self.language == "sh" and bool(lines) and all(" server " in f" {line} " and "semel" in line for line in lines)


def check(sources, exists=lambda path: pathlib.Path(path).exists()):
    texts = {source.path: source.text for source in sources}
    for page in sources:
        if not is_page(page):
            continue
        marks = [line for line in page.lines if line in ("<!-- tour -->", "<!-- /tour -->")]
        if marks != ["<!-- tour -->", "<!-- /tour -->"] * (len(marks) // 2):
            yield page.finding(1, "a tour does not end, or begins within another")
        for block in blocks_of(page):
            problem = problem_of(block, page.path, texts, exists)
            if problem:
                yield page.finding(block.line, problem)


def is_page(source):
    in_folder = source.under("docs", "examples") and not source.under("docs/adr")
    return source.suffix == ".md" and (in_folder or source.path == "README.md")


def problem_of(block, path, texts, exists):
    if block.mark == "not run:":
        return None if len(block.says) >= REASON_MIN else "say why this example is not run, so that others see it too"
    if block.mark == "run by":
        return problem_with_test(block, path, texts, exists)
    if block.mark == "output of:":
        return None if block.in_tour else "what a command puts out is compared within a tour only"
    if block.language == "sh" and block.in_tour:
        return None
    if block.language in CHECKED_FILES or block.starts_servers:
        return None
    return (
        "no test runs this example: put it between <!-- tour --> and <!-- /tour -->, "
        "or say <!-- run by FILE --> or <!-- not run: WHY --> on the line before it"
    )


def problem_with_test(block, path, texts, exists):
    if not exists(block.says):
        return f"this example is said to be run by {block.says}, which is not there"
    words = block.text.split()
    if path in texts.get(block.says, "") or (words and words[0] in texts.get(block.says, "")):
        return None
    return f"this example is said to be run by {block.says}, which names neither {path} nor its first word"


def blocks_of(page):
    every = dict(EVERY.findall(page.text))
    in_tour = False
    begin = None  # of the block that is open
    for number, line in enumerate(page.lines):
        if begin is None and line in ("<!-- tour -->", "<!-- /tour -->"):
            in_tour = line == "<!-- tour -->"
        if not line.lstrip().startswith("```"):
            continue
        if begin is None:
            begin = number
            continue
        mark = MARK.match(page.lines[begin - 1]) if begin else None
        language = page.lines[begin].strip().removeprefix("```")
        kind, says = mark.groups() if mark else ("run by", every[language]) if language in every else ("", "")
        yield Block(begin + 1, language, in_tour, kind, says, "\n".join(page.lines[begin + 1 : number]))
        begin = None
