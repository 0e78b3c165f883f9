import { ExactNumber, isObject, stringify, type Json } from './json';
import type { Explanation } from './types';

/** One place where two documents differ; `pointer` is a JSON Pointer, "" the whole. */
export interface Difference {
  pointer: string;
  before?: Json;
  after?: Json;
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** `100`, `100.0` and `1e2` are one number to an identity, so they are one here. */
export function sameNumber(left: string, right: string): boolean {
  return normal(left) === normal(right);
}

function normal(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length);
  return `${sign}${kept}e${scale}`;
}

function sameScalar(left: Json, right: Json): boolean {
  const numbers = [left, right].map((value) => typeof value === 'number' || value instanceof ExactNumber);
  if (numbers[0] && numbers[1]) return sameNumber(String(left), String(right));
  return !numbers[0] && !numbers[1] && stringify(left) === stringify(right);
}

/** Where `after` is not what `before` was, in the order of `before`. */
export function differences(before: Json, after: Json, pointer = ''): Difference[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => member(before[key], after[key], `${pointer}/${escaped(key)}`));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) => member(before[at], after[at], `${pointer}/${at}`)).flat();
  }
  const isLeaf = !isObject(before) && !isObject(after) && !Array.isArray(before) && !Array.isArray(after);
  if (isLeaf && sameScalar(before, after)) return [];
  return [{ pointer, before, after }];
}

function member(before: Json | undefined, after: Json | undefined, pointer: string): Difference[] {
  if (before === undefined) return [{ pointer, after }];
  if (after === undefined) return [{ pointer, before }];
  return differences(before, after, pointer);
}

const namedMax = 50; // pointers that the server tells; there may be more
const covers = (whole: string, part: string): boolean => part === whole || part.startsWith(`${whole}/`);

/**
 * Whether a difference at this place does not count: none does where the server takes both for the same, and else those
 * that it does not name.
 */
export function isIgnored(pointer: string, explanation: Pick<Explanation, 'would' | 'status' | 'holder' | 'pointers'>): boolean {
  const isDuplicate = explanation.would === 'duplicate' || explanation.would === 'same_id';
  if (!isDuplicate || explanation.holder === undefined) return false;
  if (explanation.status !== 422) return true;
  const named = explanation.pointers ?? [];
  if (named.length === 0 || named.length >= namedMax) return false; // not known
  return !named.some((one) => covers(one, pointer) || covers(pointer, one));
}
