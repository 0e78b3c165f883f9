// What the pages compute by themselves, without a browser: exact JSON, differences, words for times.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { expect } from './browser.mjs';

const same = (found, wanted) => expect(JSON.stringify(found) === JSON.stringify(wanted), `${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);

/** All that some modules of src have, as the pages have it. */
async function load(...paths) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const vite = await createServer({ root, logLevel: 'error', server: { middlewareMode: true, hmr: false, watch: null }, appType: 'custom', optimizeDeps: { noDiscovery: true } });
  try {
    return Object.assign({}, ...(await Promise.all(paths.map((path) => vite.ssrLoadModule(path)))));
  } finally {
    await vite.close();
  }
}

export const libTests = [
  [
    'JSON comes out as it went in, number by number',
    async () => {
      const { parse, stringify } = await load('/src/lib/json.ts');
      for (const text of ['9007199254740993', '1.10', '1e2', '-0', '1E400', '0.1', '[]', '{}', '""', '"\\u0000\\ud83d\\ude00"', '[1,[2,{"a":null}]]', '{"b":1,"a":[true,false]}', '{"__proto__":{"x":1},"constructor":2}'])
        same(stringify(parse(text)), text === '"\\u0000\\ud83d\\ude00"' ? '"\\u0000😀"' : text);
      same(stringify(parse(' { "a" : [ 1 , 2 ] } '), 2), '{\n  "a": [\n    1,\n    2\n  ]\n}');
      same({}.x, undefined);
    },
  ],
  [
    'bad JSON is refused with its line and column',
    async () => {
      const { parse } = await load('/src/lib/json.ts');
      const problem = (text) => {
        try {
          return `taken: ${JSON.stringify(parse(text))}`;
        } catch (error) {
          return error.message;
        }
      };
      same(problem('{"a": 1,\n "b": }'), 'line 2, column 7: expected a value');
      same(problem('[1, 2'), "line 1, column 6: expected ',' or ']'");
      same(problem('1 2'), 'line 1, column 3: expected nothing more');
      for (const text of ['', '01', '+1', '.5', '1.', "{'a':1}", '{"a":1,}', '[,]', '"\n"', 'nul', '{"a" 1}', '"\\x"']) expect(!problem(text).startsWith('taken'), `${text} was taken`);
    },
  ],
  [
    'documents differ by values, not by how these are written',
    async () => {
      const { parse, differences } = await load('/src/lib/json.ts', '/src/lib/diff.ts');
      const pointers = (before, after) => differences(parse(before), parse(after)).map((one) => one.pointer);
      same(pointers('{"a":100,"b":[1,-0]}', '{"b":[1.0,0],"a":1e2}'), []);
      same(pointers('9007199254740993', '9007199254740992'), ['']);
      same(pointers('{"a":{"b":1},"c":[1,2]}', '{"a":{"b":2},"c":[1]}'), ['/a/b', '/c/1']);
      same(pointers('{"a/b":1,"c~d":1}', '{"a/b":2,"e":1}'), ['/a~1b', '/c~0d', '/e']);
      same(pointers('1', '"1"'), ['']);
      same(pointers('null', '{}'), ['']);
      same(pointers('1e999999999', '1e999999998'), ['']);
      same(pointers('[]', '{}'), ['']);
    },
  ],
  [
    'a refusal says what can be done, and no more than is known',
    async () => {
      const { ApiError } = await load('/src/lib/api.ts');
      const advice = (status, code) => new ApiError(status, code, '').advice;
      expect(/Nothing was changed/.test(advice(503, 'UNAVAILABLE')), advice(503, 'UNAVAILABLE'));
      expect(/may have happened/.test(advice(503, 'OUTCOME_UNKNOWN')), advice(503, 'OUTCOME_UNKNOWN'));
      expect(!/Nothing was changed/.test(advice(503, 'OUTCOME_UNKNOWN')), advice(503, 'OUTCOME_UNKNOWN'));
    },
  ],
  [
    'another hash has its reason: the period has passed, or the template has changed',
    async () => {
      const { whyOtherHash } = await load('/src/lib/submission.ts');
      const then = { mode: 'context', strategy: 'strict', hash: 'aa', bucket: 1_800_000_000 };
      same(whyOtherHash(then, { ...then }), undefined);
      expect(/period has passed/.test(whyOtherHash(then, { ...then, hash: 'bb', bucket: 1_800_003_600 })), 'the period');
      for (const now of [{ ...then, hash: 'bb' }, { ...then, hash: 'bb', bucket: undefined }])
        expect(/settings have changed/.test(whyOtherHash(then, now)), 'the template');
    },
  ],
  [
    'times and counts are told in words',
    async () => {
      const { capped, count, duration, plural, relative, short } = await load('/src/lib/format.ts');
      same([0, 0.62, 5, 900, 1_500, 61_000, 3_600_000, 90_061_000].map(duration), ['0 ms', '0.6 ms', '5 ms', '900 ms', '1.5 s', '1m 1s', '1h', '1d 1h']);
      const now = Date.parse('2026-01-20T12:00:00Z');
      same(['2026-01-20T11:59:59.5Z', '2026-01-20T11:59:20Z', '2026-01-20T12:02:30Z'].map((time) => relative(time, now)), ['just now', '40 s ago', 'in 2m 30s']);
      same([999, 10_000, 123_456, 2_500_000].map(short), ['999', '10.0k', '123k', '2.5M']);
      same([plural(1, 'task'), plural(1_200, 'task'), count(10_000)], ['1 task', '1,200 tasks', '10,000']);
      same([capped(10_000, false), capped(10_000, true), capped(0, true)], ['10,000+', '10,000', '0']);
    },
  ],
];
