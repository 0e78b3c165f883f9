"""The files that script/tidy looks at, and C++ text without its comments and literals."""

import dataclasses
import functools
import pathlib
import re
import subprocess

CPP = {".cpp", ".hpp"}
CODE = CPP | {".py", ".sh", ".cmake", ".ts", ".svelte", ".mjs", ".css"}


@dataclasses.dataclass(frozen=True)
class Finding:
    path: str
    line: int
    message: str


class Source:
    """One text file. `code` is C++ with comments and the insides of literals blanked, line by line in place."""

    def __init__(self, path, text):
        self.path = path  # from the root of the repository, with /
        self.text = text
        self.suffix = pathlib.PurePosixPath(path).suffix
        self.lines = text.splitlines()

    @property
    def is_cpp(self):
        return self.suffix in CPP

    @property
    def is_code(self):
        name = pathlib.PurePosixPath(self.path).name
        script = not self.suffix and self.path.startswith(("script/", ".ci/"))
        return self.suffix in CODE or name == "CMakeLists.txt" or script

    @functools.cached_property
    def code(self):
        return blank(self.text)

    def under(self, *folders):
        return self.path.startswith(tuple(f"{folder}/" for folder in folders))

    def finding(self, line, message):
        return Finding(self.path, line, message)

    def line_at(self, offset):
        return self.text.count("\n", 0, offset) + 1


TOKEN = re.compile(
    r"""
      //[^\n]*                                        # line comment
    | /\*.*?\*/                                       # block comment
    | R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"    # raw string
    | (?<!\w)(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"         # string
    | (?<!\w)'(?:[^'\\\n]|\\.)+'                      # character; 1'000 is a number
    """,
    re.X | re.S,
)


def blank(text):
    """The text with comments as spaces and literals as quotes around spaces; no line or column moves."""

    def erase(match):
        token = match.group()
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        if re.match(r"#\s*include", text[text.rfind("\n", 0, match.start()) + 1 :]):
            return token  # the name of a header is wanted
        return token[0] + re.sub(r"[^\n]", " ", token[1:-1]) + token[-1]

    return TOKEN.sub(erase, text)


def read_all():
    """Every text file that is tracked, or new and not ignored."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
        check=True,
        stdout=subprocess.PIPE,
    )
    sources = []
    for name in listing.stdout.decode().split("\0"):
        path = pathlib.Path(name)
        if not name or not path.is_file():
            continue
        try:
            sources.append(Source(name, path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            pass  # a binary file
    return sources
