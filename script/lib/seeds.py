"""Every route of the HTTP API has a seed for the fuzz target of the API, so that it is reached from the first run on."""

import re

TABLE = "src/api/http/app.cpp"
SEEDS = "fuzz/corpus/api"
ROUTE = re.compile(r'^\s*Route\{"([A-Z]+)", "([^"]+)"', re.M)


def check(sources):
    tables = [source for source in sources if source.path == TABLE]
    seeded = {
        " ".join(line.split(" ")[:2]) for source in sources if source.under(SEEDS) for line in source.lines
    }
    for table in tables:
        for route in ROUTE.finditer(table.text):
            name = f"{route.group(1)} {route.group(2)}"
            if name not in seeded:
                yield table.finding(table.line_at(route.start(1)), f"no seed in {SEEDS} begins a line with {name}: add one")
