/** What the part of an address stands for; one that is escaped wrongly stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parts of the path that stand for {…}, or nothing: match('/tasks/{id}', path). */
export function match(pattern: string, path: string): string[] | undefined {
  const expected = pattern.split('/');
  const found = path.split('/');
  if (expected.length !== found.length) return undefined;
  const parts: string[] = [];
  for (const [at, segment] of expected.entries()) {
    const text = found[at] ?? '';
    if (segment.startsWith('{')) parts.push(decoded(text));
    else if (segment !== text) return undefined;
  }
  return parts;
}
