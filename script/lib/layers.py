"""Includes go one way: what each folder of src/ may include, of ours and of others."""

import pathlib
import posixpath
import re

# A folder of src/ -> the folders it may include, besides itself.
LAYERS = {
    "base": [],
    "domain": ["base"],
    "ports": ["domain", "base"],
    "engine": ["ports", "domain", "base"],
    "store/memory": ["store/common", "ports", "domain", "base"],
    "store/common": ["ports", "domain", "base"],
    "store/sqlite": ["store/common", "ports", "domain", "base"],
    "store/postgres": ["store/common", "ports", "domain", "base"],
    "store/dedup_cache": ["store/common", "ports", "domain", "base"],
    "http_client": ["base"],
    "dispatch": ["api/codec", "http_client", "ports", "domain", "base"],
    "parquet": ["store/common", "domain", "base"],
    "api/codec": ["engine", "ports", "domain", "base"],
    "api/http": ["api/codec", "engine", "ports", "domain", "base"],
    "api/grpc": ["api/codec", "engine", "ports", "domain", "base"],
    "sdk": ["domain", "base"],
    "embedded": ["sdk", "server", "api/codec", "engine", "ports", "domain", "base"],
    "connected": ["sdk", "domain", "base"],
    "bench": ["http_client", "api/http", "sdk", "embedded", "connected", "store/sqlite", "store/postgres", "store/common", "domain", "ports", "base"],
    "config": ["server", "store/dedup_cache", "domain", "base"],
    "cli": ["http_client", "config", "server", "parquet", "bench", "sdk", "api/codec", "api/http", "api/grpc", "engine", "ports", "domain", "base"],
    "server": ["dispatch", "api/codec", "api/http", "api/grpc", "store/memory", "store/sqlite", "store/postgres", "store/dedup_cache",
               "store/common", "parquet", "sdk",
               "engine", "ports", "domain", "base"],
}

# Headers of others (a regular expression) -> the folders of src/ that may include them. The first that fits counts.
CONFINED = [
    (r"boost/unordered", ["store", "engine", "api/http", "bench", "cli", "server"]),
    (r"boost/", ["http_client", "dispatch", "api/http", "bench", "cli", "server"]),
    (r"(grpcpp|grpc|google/protobuf|semel/v1)/", ["api/grpc", "bench", "connected"]),
    (r"prometheus/", ["engine"]),
    (r"sqlite3\.h", ["store/sqlite"]),
    (r"libpq-fe\.h", ["store/postgres"]),
    (r"duckdb\.h", ["parquet/duckdb"]),
    (r"hiredis/", ["store/dedup_cache"]),
    (r"toml\+\+/", ["config"]),
    (r"date/", ["domain/schedule"]),
    (r"re2/", ["base/json/schema"]),
    (r"nlohmann/", ["api", "cli", "server", "store", "sdk"]),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)


def includes(source):
    """(line, name, quoted) of each include."""
    for match in INCLUDE.finditer(source.code):
        yield source.line_at(match.start(1)), match.group(2), match.group(1) == '"'


def layer_of(path):
    """The layer of a path below src/, or None when no layer has that folder."""
    fitting = [layer for layer in LAYERS if path.startswith(f"{layer}/")]
    return max(fitting, key=len, default=None)


def target_of(source, name, exists):
    """The path below src/ that an include means, or None when it is a header of others."""
    if exists(f"src/{name}"):
        return name
    sibling = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), name))
    if sibling.startswith("src/") and exists(sibling):
        return sibling.removeprefix("src/")
    return name if layer_of(name) else None


# What a header that users include may include: the standard library, other public headers, and nlohmann's JSON.
PUBLIC = re.compile(r"semel/|nlohmann/|[a-z_]+$")


def check(source, exists=lambda path: pathlib.Path(path).is_file()):
    if source.is_cpp and source.under("include"):
        yield from check_public(source)
    if not source.is_cpp or not source.under("src"):
        return
    own = layer_of(source.path.removeprefix("src/"))
    if own is None:
        yield source.finding(1, "is in no known layer: move it, or add its folder to LAYERS in script/lib/layers.py")
        return
    for line, name, quoted in includes(source):
        target = target_of(source, name, exists)
        if target is None:
            yield from check_foreign(source, line, name)
            continue
        if not quoted or ".." in name:
            yield source.finding(line, f'write the include from the root of src: #include "{target}"')
        yield from check_own(source, line, own, target)


def check_own(source, line, own, target):
    layer = layer_of(target)
    if layer != own and layer not in LAYERS[own]:
        allowed = ", ".join([own, *LAYERS[own]])
        yield source.finding(line, f"{own} may not include {layer or target}, only {allowed}: "
                                   "move the code, or put a port between")


def check_public(source):
    for line, name, _ in includes(source):
        if not PUBLIC.match(name):
            yield source.finding(line, f"{name} may not be in a public header: users would need it too; "
                                       "keep it in src/sdk")


def check_foreign(source, line, name):
    for pattern, folders in CONFINED:
        if re.match(pattern, name):
            if not source.under(*[f"src/{folder}" for folder in folders]):
                yield source.finding(line, f"<{name}> may be included only in src/{', src/'.join(folders)}: "
                                           "keep it behind a type of ours")
            return
