"""The golden vectors of docs/reference: computed here with hashlib and uuid alone, never by our own binary.

    python3 script/lib/identity_vectors.py           writes them anew
    python3 script/lib/identity_vectors.py --check   fails when the files differ from what would be written
"""

import argparse
import hashlib
import json
import pathlib
import struct
import sys
import uuid

import canonical_json

REFERENCE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference"

NAMED_TASKS = uuid.uuid5(uuid.NAMESPACE_DNS, "semel.identity")

PAYMENT = {"namespace": "payments", "name": "process_payment", "version": "1.0.0"}
NEWER_PAYMENT = {**PAYMENT, "version": "2.1.0"}
REPORT = {"namespace": "reports", "name": "nightly", "version": "0.3.0-beta.1"}

# Each is what a request brings; make_identity adds what the hash is made of, and the hash.
IDENTITIES = [
    ("a key of an ad-hoc task", {"key": "order-1"}),
    ("the same key in another tenant", {"key": "order-1", "tenant": "acme"}),
    ("keys are compared bytewise: another case is another key", {"key": "Order-1"}),
    ("a key of 255 bytes, the longest", {"key": "k" * 255}),
    ("a key of two-byte, three-byte and four-byte characters", {"key": "straße-€-😀"}),
    ("a key with a composed letter", {"key": "caf\u00e9"}),
    ("the same letter decomposed is another key: nothing is normalised", {"key": "cafe\u0301"}),
    ("a key that looks like a context", {"key": "{}"}),
    ("a key with a slash, a quote and a backslash", {"key": "a/b\"c\\d"}),
    ("a key in the scope of a queue", {"key": "order-1", "scope": "queue", "queue": "mail"}),
    ("the same key on another queue", {"key": "order-1", "scope": "queue", "queue": "sms"}),
    ("parts never run together: queue 'ab', key 'c'", {"key": "c", "scope": "queue", "queue": "ab"}),
    ("parts never run together: queue 'a', key 'bc'", {"key": "bc", "scope": "queue", "queue": "a"}),
    ("a key of a template", {"key": "order-1", "scope": "template", "template": PAYMENT}),
    ("a key of a template's newer version: the same hash", {"key": "order-1", "scope": "template",
                                                            "template": NEWER_PAYMENT}),
    ("a key of one version of a template", {"key": "order-1", "scope": "template_version", "template": PAYMENT}),
    ("the same key of its newer version: another hash", {"key": "order-1", "scope": "template_version",
                                                         "template": NEWER_PAYMENT}),
    ("a key of a template whose scope is the tenant", {"key": "order-1", "scope": "tenant", "template": PAYMENT}),
    ("an empty context", {"context": "{}"}),
    ("null is a context of its own", {"context": "null"}),
    ("the empty string is a context of its own", {"context": "\"\""}),
    ("members in any order", {"context": "{\"b\": 2, \"a\": 1}"}),
    ("the same members sorted", {"context": "{\"a\":1,\"b\":2}"}),
    ("the number 100", {"context": "{\"amount\":100}"}),
    ("1e2 is the same number", {"context": "{\"amount\":1e2}"}),
    ("100.0 is the same number", {"context": "{\"amount\":100.0}"}),
    ("2^53 + 1", {"context": "{\"id\":9007199254740993}"}),
    ("2^53, which a double cannot tell from it", {"context": "{\"id\":9007199254740992}"}),
    ("escapes and characters are one", {"context": "{\"city\":\"\\u004d\\u00fcnchen \\ud83c\\udf7a\"}"}),
    ("the same text without escapes", {"context": "{\"city\":\"München 🍺\"}"}),
    ("material of more than 255 bytes: its length needs two bytes", {"context": "\"" + "x" * 298 + "\""}),
    ("a context in the scope of a queue", {"context": "{\"a\":1}", "scope": "queue", "queue": "mail"}),
    ("a context in the scope of the tenant", {"context": "{\"a\":1}", "scope": "tenant"}),
    ("a context in the scope of one version", {"context": "{\"a\":1}", "scope": "template_version", "template": REPORT}),
    ("a context of another template", {"context": "{}", "template": REPORT}),
    ("a context with the bucket of an hour", {"context": "{}", "template": REPORT, "bucket": 1768910400}),
    ("the next bucket", {"context": "{}", "template": REPORT, "bucket": 1768914000}),
    ("the bucket that begins with 1970", {"context": "{}", "template": REPORT, "bucket": 0}),
    ("fields: pointers as written are the keys, absent ones are left out",
     {"context": "{\"order\":{\"id\":7,\"note\":\"x\"},\"at\":\"noon\"}", "fields": ["/order/id", "/missing"]}),
    ("fields: a pointer with escapes, and one into an array",
     {"context": "{\"a/b\":{\"m~n\":[10,20]}}", "fields": ["/a~1b/m~0n/1"]}),
    ("fields: all of them absent", {"context": "{\"a\":1}", "fields": ["/b"]}),
    ("ignore: all but these", {"context": "{\"at\":\"noon\",\"order\":{\"id\":7,\"note\":\"x\"}}",
                               "ignore": ["/at", "/order/note"]}),
    ("empty material (no request has it: keys are not empty, and JSON is not)", {"key": ""}),
]

CANONICAL_FORMS = [
    "null", "true", " [ ] ", "{\t}", "\"\"", "[[],{}]", "\r\n{\"b\":[true,false],\"a\":null}\n",
    # numbers: exact values, the layout of ECMAScript
    "0", "-0", "-0.0e5", "100", "100.0", "1e2", "1E+2", "10e1", "0.01e4", "-1.50", "9007199254740993", "9007199254740992",
    "12345678901234567890", "333333333.33333329", "0.1", "0.10000000000000000001", "1e20", "1e21", "123456789012345678901",
    "1234567890123456789012", "123456789012345678901234567890.5", "1e-6", "1e-7", "0.0000001230", "1e400", "-4.5E-400",
    "1e999999999", "10e999999998", "1e1000000000", "1e-1000000000", "0e99999999999", "1" * 1000, "1" * 1001,
    # strings and keys
    "\"\\u0041\\u000a\\u001F\\/\\\"\\\\\\b\\f\\t\"", "\"\\u20ac \\ud83d\\ude00 \u00e9\"", "\"\\u007f\\u0080\\u2028\"",
    "\"\\u0000\"", "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\ud800\\u0041\"",
    "{\"\\ufb33\":1,\"\\ud83d\\ude00\":2,\"\\u20ac\":3,\"\\u00f6\":4,\"1\":5,\"\\r\":6}",
    "{\"b\":1,\"a\":2,\"B\":3,\"\":4,\"aa\":5}", "{\"a\\\"b\":1,\"a\":2}", "{\"once\":1,\"on\":2,\"off\":3}",
    "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":1}", "{\"x\":{\"a\":1},\"y\":{\"a\":1}}",
    # not JSON, or beyond the limits
    "", " ", "01", "1.", ".5", "+1", "-", "1e", "NaN", "Infinity", "tru", "'a'", "[1,]", "{\"a\":1,}", "{a:1}", "[1 2]",
    "{} {}", "\"\t\"", "\"\\x41\"", "\"open", "[" * 128 + "]" * 128, "[" * 129 + "]" * 129,
]


def length_and(part):
    return struct.pack(">I", len(part)) + part


def hash_of(parts):
    return hashlib.sha256(b"semel.identity.v1\x00" + b"".join(map(length_and, parts))).hexdigest()


def scope_value(scope, tenant, queue, template):
    if scope == "tenant":
        return b""
    if scope == "queue":
        return queue.encode()
    named_task = uuid.uuid5(NAMED_TASKS, "/".join([tenant, template["namespace"], template["name"]]))
    return named_task.bytes + (template["version"].encode() if scope == "template_version" else b"")


def reduced(request):
    canonical = canonical_json.canonicalize(request["context"])
    if "fields" in request:
        return canonical_json.select(canonical, request["fields"])
    if "ignore" in request:
        return canonical_json.remove(canonical, request["ignore"])
    return canonical


def make_identity(description, request):
    by_key = "key" in request
    mode, material = ("key", request["key"]) if by_key else ("context", reduced(request))
    tenant = request.get("tenant", "default")
    scope = request.get("scope", "tenant" if by_key else "template")
    template = request.get("template", PAYMENT if scope.startswith("template") else None)
    value = scope_value(scope, tenant, request.get("queue"), template)
    bucket = request.get("bucket")
    parts = [mode.encode(), tenant.encode(), scope.encode(), value, material.encode(),
             b"" if bucket is None else str(bucket).encode()]
    vector = {"description": description, "mode": mode, "tenant": tenant, "scope": scope, "scope_value_hex": value.hex(),
              "material": material, "bucket": bucket, "hash": hash_of(parts)}
    vector.update({name: request[name] for name in ("queue", "context", "fields", "ignore") if name in request})
    if template:
        vector["template"] = template
    if not by_key:
        vector["fingerprint"] = hashlib.sha256(material.encode()).hexdigest()
    return vector


def make_canonical(text):
    try:
        return {"input": text, "canonical": canonical_json.canonicalize(text)}
    except canonical_json.Refused:
        return {"input": text, "canonical": None}


def lines_of(vectors):
    """One vector a line, in ASCII, so that changes are easy to see."""
    return "[\n" + ",\n".join(json.dumps(vector) for vector in vectors) + "\n]\n"


def files():
    return {
        REFERENCE / "identity-vectors.json": lines_of([make_identity(*each) for each in IDENTITIES]),
        REFERENCE / "canonical-json-vectors.json": lines_of([make_canonical(each) for each in CANONICAL_FORMS]),
    }


def main():
    parser = argparse.ArgumentParser(description="Writes the golden vectors of docs/reference.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file would change")
    options = parser.parse_args()
    for path, text in files().items():
        if not options.check:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path.name} is not what this program makes; run it without --check and look at the changes")


if __name__ == "__main__":
    main()
