/**
 * JSON without loss. Contexts and results may have numbers that no double can hold, and an identity tells them apart; so
 * a number that JavaScript would change stays the text that was sent, as an ExactNumber.
 */
export class ExactNumber {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

export type Json = null | boolean | number | string | ExactNumber | Json[] | { [key: string]: Json };

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const space = /[ \t\r\n]*/y;
// eslint-disable-next-line no-control-regex
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value();
    this.skip(space);
    if (this.at < this.text.length) this.fail('nothing more');
    return value;
  }

  private value(): Json {
    this.skip(space);
    const mark = this.text[this.at];
    if (mark === '{') return this.object();
    if (mark === '[') return this.array();
    if (mark === '"') return this.string();
    for (const [word, value] of [['true', true], ['false', false], ['null', null]] as const) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    return toNumber(this.take(number, 'a value'));
  }

  private object(): Json {
    const found: { [key: string]: Json } = {};
    this.at += 1;
    if (this.takes('}')) return found;
    do {
      this.skip(space);
      const key = this.string();
      if (!this.takes(':')) this.fail("':'");
      // A key named __proto__ must become a member like any other.
      Object.defineProperty(found, key, { value: this.value(), enumerable: true, writable: true, configurable: true });
    } while (this.takes(','));
    if (!this.takes('}')) this.fail("',' or '}'");
    return found;
  }

  private array(): Json {
    const found: Json[] = [];
    this.at += 1;
    if (this.takes(']')) return found;
    do found.push(this.value());
    while (this.takes(','));
    if (!this.takes(']')) this.fail("',' or ']'");
    return found;
  }

  private string(): string {
    return JSON.parse(this.take(string, 'a string')) as string;
  }

  private takes(mark: string): boolean {
    this.skip(space);
    if (this.text[this.at] !== mark) return false;
    this.at += 1;
    return true;
  }

  private take(pattern: RegExp, wanted: string): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) this.fail(wanted);
    this.at += found[0].length;
    return found[0];
  }

  private skip(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    this.at += pattern.exec(this.text)?.[0].length ?? 0;
  }

  private fail(wanted: string): never {
    const before = this.text.slice(0, this.at);
    const line = before.split('\n').length;
    const column = this.at - before.lastIndexOf('\n');
    throw new SyntaxError(`line ${line}, column ${column}: expected ${wanted}`);
  }
}

function toNumber(text: string): number | ExactNumber {
  const value = Number(text);
  return String(value) === text ? value : new ExactNumber(text);
}

export function parse(text: string): Json {
  return new Reader(text).document();
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** JSON text, with the numbers as they came. */
export function stringify(value: Json, indent = 0, depth = 0): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((item) => stringify(item, indent, depth + 1))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}:${indent ? ' ' : ''}${stringify(item, indent, depth + 1)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  if (!indent) return `${open}${items.join(',')}${close}`;
  const inner = ' '.repeat(indent * (depth + 1));
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${' '.repeat(indent * depth)}${close}`;
}
