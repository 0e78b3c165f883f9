"""Every header of src/ and include/ compiles alone. What compiled is remembered by a hash of all it includes of ours."""

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
# To an object file, since the compiler cache keeps nothing else.
COMPILER = ["g++", "-std=c++20", "-O0", "-Wall", "-Wextra", "-Isrc", "-Iinclude", "-isystem", str(PROTO), "-c"]


def check(sources):
    by_path = {source.path: source for source in sources if source.is_cpp}
    version = subprocess.run(["g++", "-v"], stderr=subprocess.PIPE, check=True).stderr
    STAMPS.mkdir(parents=True, exist_ok=True)
    version += make_messages()
    stale = []
    for path, source in by_path.items():
        if source.suffix == ".hpp" and source.under("src", "include"):
            stamp = STAMPS / digest(by_path, path, version)
            if not stamp.exists():
                stale.append((source, stamp))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in pool.map(compile_alone, stale):
            yield from findings


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


def digest(by_path, path, version):
    """Changes with the compiler, the header, and every header of ours below it."""
    seen, waiting = set(), [path]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for _, name, _ in layers.includes(by_path[path]):
            target = layers.target_of(by_path[path], name, by_path.__contains__)
            below = [candidate for candidate in (f"src/{target}", f"include/{name}") if candidate in by_path]
            waiting.extend(below)
    total = hashlib.sha256(version + repr(COMPILER).encode())
    for path in sorted(seen):
        total.update(f"{path}\0{by_path[path].text}\0".encode())
    return total.hexdigest()


def compile_alone(item):
    source, stamp = item
    name = source.path.split("/", 1)[1]
    unit = UNITS / f"{name}.cpp"
    unit.parent.mkdir(parents=True, exist_ok=True)
    unit.write_text(f'#include "{name}"\n')
    cache = ["ccache"] if shutil.which("ccache") else []
    command = [*cache, *COMPILER, str(unit), "-o", str(unit.with_suffix(".o"))]
    done = subprocess.run(command, text=True, stderr=subprocess.PIPE)
    if done.returncode == 0:
        stamp.touch()
        return []
    first = next((line for line in done.stderr.splitlines() if "error:" in line), "").strip()
    return [source.finding(1, f"the header does not compile alone; add the includes it needs: {first}")]
