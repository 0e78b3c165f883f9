"""Canonical JSON as docs/reference/identity-hash.md describes it: a small reference implementation in Python,
independent of the C++ one. The golden vectors are made with it."""

import decimal
import json

DEPTH_MAX = 128
NUMBER_CHARS_MAX = 1000
EXPONENT_MAX = 999_999_999

SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Refused(ValueError):
    """The text has no canonical form."""


class Number:
    """A number as it was written; never a float."""

    def __init__(self, text):
        self.text = text


def canonicalize(text):
    """The canonical form of a JSON text, or Refused."""
    try:
        value = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse_constant,
                           object_pairs_hook=unique_members)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Refused(str(error)) from error
    return write(value, 0)


def refuse_constant(name):
    raise Refused(f"{name} is not JSON")


def unique_members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Refused("duplicate key")
    return members


def write(value, depth):
    """A value of json.loads, or one that was taken out of or changed from such a value."""
    if isinstance(value, (dict, list)) and depth == DEPTH_MAX:
        raise Refused("too deep")
    if isinstance(value, dict):
        keys = sorted(value, key=utf16)
        return "{" + ",".join(f"{write_string(key)}:{write(value[key], depth + 1)}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(write(each, depth + 1) for each in value) + "]"
    if isinstance(value, str):
        return write_string(value)
    if isinstance(value, Number):
        return write_number(value.text)
    return {None: "null", True: "true", False: "false"}[value]


def utf16(text):
    try:
        return text.encode("utf-16-be")
    except UnicodeEncodeError as error:
        raise Refused("lone surrogate") from error


def write_string(text):
    utf16(text)  # refuses lone surrogates
    return '"' + "".join(escape(character) for character in text) + '"'


def escape(character):
    if character in SHORT_ESCAPES:
        return SHORT_ESCAPES[character]
    return f"\\u{ord(character):04x}" if ord(character) < 0x20 else character


def write_number(text):
    """The exact decimal value, laid out as ECMAScript's Number::toString lays numbers out."""
    if len(text) > NUMBER_CHARS_MAX:
        raise Refused("number too long")
    mantissa, _, exponent = text.lower().partition("e")
    if not mantissa.strip("-0."):
        return "0"  # whatever its sign and exponent
    negative, digits, scale = decimal.Decimal(mantissa).as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    point = len(digits) + scale + int(exponent or "0")  # the value is 0.digits × 10^point
    digits = digits.rstrip("0")
    if abs(point - 1) > EXPONENT_MAX:
        raise Refused("exponent out of range")
    return ("-" if negative else "") + lay_out(digits, point)


def lay_out(digits, point):
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    if 0 < point < len(digits) and point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def select(canonical, pointers):
    """{pointer as written: value}, without those that lead nowhere: identity.fields."""
    value = json.loads(canonical, parse_int=Number, parse_float=Number)
    found = {}
    for pointer in pointers:
        holds, at = follow(value, tokens_of(pointer))
        if holds:
            found[pointer] = at
    return write(found, 0)


def remove(canonical, pointers):
    """The value without what the pointers lead to: identity.ignore. Arrays are not entered."""
    value = json.loads(canonical, parse_int=Number, parse_float=Number)
    for pointer in pointers:
        *parents, last = tokens_of(pointer)
        holds, at = follow(value, parents)
        if holds and isinstance(at, dict):
            at.pop(last, None)
    return write(value, 0)


def tokens_of(pointer):
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def follow(value, tokens):
    for token in tokens:
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdigit() and str(int(token)) == token and int(token) < len(value):
            value = value[int(token)]
        else:
            return False, None
    return True, value
