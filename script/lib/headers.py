"""Every header of src/ and include/ compiles alone. What compiled is remembered by a hash of all it includes of ours.

A few headers that many others include are compiled first, to precompiled headers, and the others on top of one of those
that they include: that gives a header nothing but what its own includes would have given it, and saves reading the
standard library anew for each of hundreds."""

import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import subprocess

import layers

STAMPS = pathlib.Path("build/tidy/headers")
UNITS = pathlib.Path("build/tidy/units")
PROTO = pathlib.Path("build/tidy/proto")
DUCKDB = "tools/duckdb/node_modules/duckdb/src/duckdb/src/include"  # as in cmake/duckdb.cmake
# To an object file, since the compiler cache keeps nothing else.
COMPILER = ["g++", "-std=c++20", "-O0", "-Wall", "-Wextra", "-Isrc", "-Iinclude"]
COMPILER += ["-isystem", str(PROTO), "-isystem", DUCKDB]
BASES = 10  # each takes about 100 MB while the check runs


def check(sources):
    by_path = {source.path: source for source in sources if source.is_cpp}
    version = subprocess.run(["g++", "-v"], stderr=subprocess.PIPE, check=True).stderr
    STAMPS.mkdir(parents=True, exist_ok=True)
    version += make_messages()
    below = {path: closure(by_path, path) for path, source in by_path.items() if is_checked(source)}
    stamps = {path: STAMPS / digest(by_path, below[path], version) for path in below}
    stale = {path: below[path] for path in below if not stamps[path].exists()}
    for path, error in compile_all(stale):
        if error is None:
            stamps[path].touch()
        else:
            advice = "the header does not compile alone; add the includes it needs"
            yield by_path[path].finding(1, f"{advice}: {error}")


def is_checked(source):
    return source.suffix == ".hpp" and source.under("src", "include")


def compile_all(below):
    """Each header with its first error, if it has one."""
    bases = choose_bases(below)
    precompiled = {}
    UNITS.mkdir(parents=True, exist_ok=True)
    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for path, error in zip(bases, pool.map(precompile, bases)):
                if error is None:
                    precompiled[path] = unit_of(path)
                yield path, error
            others = [path for path in below if path not in bases]
            on = [best_base(below, path, precompiled) for path in others]
            yield from zip(others, pool.map(compile_on, others, [precompiled.get(base) for base in on]))
    finally:
        for path in bases:  # also when it is interrupted: they are large
            pathlib.Path(f"{unit_of(path)}.gch").unlink(missing_ok=True)


def choose_bases(below):
    """The headers that save most, if what includes them begins with them: one after the other, the best of what is left."""
    saved = dict.fromkeys(below, 0)  # how many headers each need not read again
    bases = []
    for _ in range(BASES):
        gains = {}
        for path in below:
            for base in below[path]:
                if base != path and base in below and base not in bases:
                    gains[base] = gains.get(base, 0) + max(0, len(below[base]) - saved[path])
        base = max(gains, key=lambda path: (gains[path], path), default=None)
        if base is None or gains[base] < 4 * len(below[base]):  # a base must pay for being written and read
            break
        bases.append(base)
        for path in below:
            if base in below[path]:
                saved[path] = max(saved[path], len(below[base]))
    return bases


def best_base(below, path, bases):
    return max((base for base in bases if base in below[path]), key=lambda base: (len(below[base]), base), default=None)


def unit_of(path):
    """The file that includes nothing but this header."""
    name = path.split("/", 1)[1]
    unit = UNITS / f"{name.replace('/', '-')}.unit.hpp"
    unit.write_text(f'#include "{name}"\n')
    return unit


def precompile(path):
    unit = unit_of(path)
    return first_error(["-x", "c++-header", str(unit), "-o", f"{unit}.gch"])


def compile_on(path, base):
    unit = unit_of(path)
    return first_error([*(["-include", str(base)] if base else []), "-x", "c++", "-c", str(unit), "-o", f"{unit}.o"])


def first_error(arguments):
    """Nothing when it compiled."""
    cache = ["ccache"] if shutil.which("ccache") else []
    done = subprocess.run([*cache, *COMPILER, *arguments], text=True, stderr=subprocess.PIPE)
    if done.returncode == 0:
        return None
    return next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr).strip()


def make_messages():
    """What protoc makes of proto/, for the headers that include it; the text of all of it."""
    files = sorted(pathlib.Path("proto").rglob("*.proto"))
    if not files:
        return b""
    text = b"".join(file.read_bytes() for file in files)
    stamp = PROTO / hashlib.sha256(text).hexdigest()
    if not stamp.exists():
        PROTO.mkdir(parents=True, exist_ok=True)
        plugin = f"--plugin=protoc-gen-grpc={shutil.which('grpc_cpp_plugin')}"
        names = [str(file.relative_to("proto")) for file in files]
        subprocess.run(["protoc", "-Iproto", f"--cpp_out={PROTO}", f"--grpc_out={PROTO}", plugin, *names], check=True)
        stamp.touch()
    return text


def closure(by_path, path):
    """The header and every header of ours below it."""
    seen, waiting = set(), [path]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for _, name, _ in layers.includes(by_path[path]):
            target = layers.target_of(by_path[path], name, by_path.__contains__)
            waiting.extend(candidate for candidate in (f"src/{target}", f"include/{name}") if candidate in by_path)
    return seen


def digest(by_path, paths, version):
    """Changes with the compiler, the header, and every header of ours below it."""
    total = hashlib.sha256(version + repr(COMPILER).encode())
    for path in sorted(paths):
        total.update(f"{path}\0{by_path[path].text}\0".encode())
    return total.hexdigest()
