"""Words and calls that may not be used, and where."""

import re

THREADS = ("src/base/loop", "src/api/http/transport/server", "src/server/", "src/sdk/", "src/store/postgres/ceiling.",
           "src/bench/workflow.", "src/bench/suspended.", "src/bench/submit.", "src/dispatch/lane.")

IN_CODE = [  # (pattern over C++ without comments and literals, folders, excepted path beginnings, what to do)
    (r"\bstd::(?:jthread|thread|async)\b(?!::)", ("src", "include"), THREADS,
     "threads are made in base/loop, the HTTP server, server/, the SDK, lanes of dispatch and yardsticks only: use a Loop, or let the server own the thread"),
    (r"\b(?:sleep_for|sleep_until|usleep|nanosleep)\b", ("src", "include", "tests", "fuzz"), (),
     "nothing sleeps: wait for a signal, or inject a clock"),
    (r"\bGTEST_SKIP\b", ("tests",), (), "no test is skipped: make it run, or delete it"),
    (r"\bDISABLED_\w*", ("tests",), (), "no test is disabled: make it run, or delete it"),
]

# Over the whole text of every file.
MACHINE_PATH = re.compile(r"(?<![\w.\-/>}])/(?:work|root|home)(?:/[\w.]|[\"'\s]|$)", re.M)
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b(?!\(#\d+\))")
# A path in a compile command keeps the compiler cache from serving another checkout.
CHECKOUT_PATH = re.compile(r"compile_definitions\((?!test_places )[^)]*?(?:_(?:SOURCE|BINARY)_DIR\b|TARGET_FILE)")


def check(source):
    yield from check_calls(source)
    if source.path.endswith("CMakeLists.txt"):
        for match in CHECKOUT_PATH.finditer(source.text):
            advice = "names a path of one checkout in a compile command: let tests/support/places.cpp know it"
            yield source.finding(source.line_at(match.end()), advice)
    for match in MACHINE_PATH.finditer(source.text):
        yield source.finding(source.line_at(match.start()), "names a path of one machine: make it relative, or a setting")
    if source.is_code:
        for match in UNFINISHED.finditer(source.text):
            word = match.group()
            yield source.finding(source.line_at(match.start()), f"{word} without an issue: finish it, or write {word}(#12)")


def check_calls(source):
    if not source.is_cpp:
        return
    for pattern, folders, excepted, advice in IN_CODE:
        if not source.under(*folders) or source.path.startswith(excepted or "\0"):
            continue
        for match in re.finditer(pattern, source.code):
            yield source.finding(source.line_at(match.start()), f"{match.group()}: {advice}")
