"""script/tidy: runs every rule over every file."""

import sys

import errors
import examples
import headers
import layers
import links
import seeds
import shape
import source
import words


def main():
    sources = source.read_all()
    findings = [found for each in sources for rule in (layers, words, shape) for found in rule.check(each)]
    findings.extend(errors.check(sources))
    findings.extend(links.check(sources))
    findings.extend(examples.check(sources))
    findings.extend(seeds.check(sources))
    findings.extend(headers.check(sources))
    for found in sorted(set(findings), key=lambda found: (found.path, found.line, found.message)):
        print(f"{found.path}:{found.line}: {found.message}")
    if findings:
        print(f"script/tidy: {len(set(findings))} to mend", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
