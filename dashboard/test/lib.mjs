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
      expect(/in the meantime/.test(advice(409, 'CONFLICT')), advice(409, 'CONFLICT'));
      for (const code of ['NOT_RETRYABLE', 'IDENTITY_HELD', 'NOT_CANCELLABLE', 'NOT_RESOLVABLE'])
        expect(advice(409, code) !== '' && !/in the meantime/.test(advice(409, code)), `${code}: nobody changed anything`);
      for (const [status, code] of [[400, 'BAD_REQUEST'], [413, 'PAYLOAD_TOO_LARGE'], [422, 'INVALID_CONTEXT'], [422, 'IDEMPOTENCY_KEY_MISMATCH'], [429, 'TENANT_LIMIT'], [500, 'INTERNAL'], [422, 'NEW']])
        expect(advice(status, code) !== '', `${status} ${code} has no advice`);
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
    'filters are sent as the API takes them: a span of time as the moment since when',
    async () => {
      const { filtersFrom, queryFrom } = await load('/src/lib/filters.ts');
      const query = (search) => queryFrom(filtersFrom(new URLSearchParams(search)), Date.parse('2026-01-20T12:00:00Z'));
      same(query('within=1h').created_after, '2026-01-20T11:00:00.000Z');
      same(query('within=7d').created_after, '2026-01-13T12:00:00.000Z');
      same([query('').created_after, query('within=ever').created_after], ['', '']);
      same([query('template=shop/order').namespace, query('template=shop/order').name, query('template=order').name], ['shop', 'order', 'order']);
      same([query('path=/a').context_path, query('text=x&path=/a').context_path], ['', '/a']);
    },
  ],
  [
    'a difference is ignored where it does not count, by whole parts of its path',
    async () => {
      const { isIgnored } = await load('/src/lib/diff.ts');
      const mismatch = { would: 'duplicate', status: 422, holder: {}, pointers: ['/to', '/lines/1/price'] };
      same(['/to', '/to/name', '/lines/1', '/lines'].map((pointer) => isIgnored(pointer, mismatch)), [false, false, false, false]);
      same(['/total', '/t', '/lines/10', '/lines/1/priceless'].map((pointer) => isIgnored(pointer, mismatch)), [true, true, true, true]);
      same(isIgnored('/trace', { ...mismatch, status: 409, pointers: undefined }), true); // taken for the same
      same(isIgnored('/trace', { ...mismatch, would: 'take_over' }), false);
      same(isIgnored('/trace', { ...mismatch, pointers: [] }), false); // nobody knows which
      same(isIgnored('/trace', { ...mismatch, pointers: Array.from({ length: 50 }, (_, i) => `/${i}`) }), false);
      same(isIgnored('/trace', { ...mismatch, holder: undefined }), false);
    },
  ],
  [
    'what is sent again says the queue of the task, whatever it is',
    async () => {
      const { submissionOf } = await load('/src/lib/submission.ts');
      const task = { kind: 'task', namespace: 'shop', name: 'order', version: '1.0.0', queue: 'default', context: {}, identity: { scope: 'template' } };
      same(submissionOf(task).queue, 'default');
      same([submissionOf(task).version, submissionOf({ ...task, identity: { scope: 'template_version' } }).version], [undefined, '1.0.0']);
    },
  ],
  [
    'a key is looked for in a queue, a template, one version of it, or everywhere',
    async () => {
      const { scopeFrom } = await load('/src/lib/submission.ts');
      same(scopeFrom(''), { queue: '' });
      same(scopeFrom(' mail '), { queue: 'mail' });
      same(scopeFrom('shop/order'), { namespace: 'shop', name: 'order', version: '' });
      same(scopeFrom(' shop/order@1.0.0 '), { namespace: 'shop', name: 'order', version: '1.0.0' });
    },
  ],
  [
    'the parts of an address are found, also where they are escaped wrongly',
    async () => {
      const { match } = await load('/src/lib/match.ts');
      same(match('/queues/{name}', '/queues/a%2Fb'), ['a/b']);
      same(match('/queues/{name}', '/queues/%'), ['%']);
      same([match('/queues/{name}', '/queues'), match('/queues/{name}', '/tasks/a')].map((found) => found === undefined), [true, true]);
    },
  ],
  [
    'tasks are told apart by their place in a run, everything else by the key that somebody chose',
    async () => {
      const { keyOf } = await load('/src/lib/format.ts');
      const both = { task_uuid: 'u', task_key: 'promise#3', idempotency_key: 'approval-7' };
      same([keyOf({ ...both, kind: 'promise' }), keyOf({ ...both, kind: 'workflow' }), keyOf({ ...both, kind: 'task' })], ['approval-7', 'approval-7', 'promise#3']);
      same([keyOf({ kind: 'promise', task_uuid: 'u', task_key: 'promise#3' }), keyOf({ kind: 'task', task_uuid: 'u' })], ['promise#3', 'u']);
    },
  ],
  [
    'why a task waits: what holds for sure first, then what is likely',
    async () => {
      const { whyItWaits } = await load('/src/lib/waiting.ts');
      const depth = { ready: 1, waiting: 0, blocked: 0, running: 2 };
      const queue = { name: 'mail', paused: false, depth, set: {} };
      const worker = { worker_id: 'w', queues: ['mail'], asked_at: '', waiting: false };
      const why = (settings, workers, task) => whyItWaits({ queue: 'mail', handler: 'send', ...task }, { ...queue, ...settings }, workers).reason;
      same(why({ paused: true, max_running: 2 }, []), 'paused');
      same(why({ max_running: 2 }, [worker]), 'full');
      same(why({ max_running: 3, target: 'https://mailer.example' }, []), 'pushed');
      same([why({}, []), why({}, [{ ...worker, queues: ['other'] }]), why({}, [{ ...worker, handlers: ['print'] }])], ['no_worker', 'no_worker', 'no_worker']);
      same([why({}, [worker]), why({}, [{ ...worker, handlers: ['send'] }])], ['busy', 'busy']);
      same(why({}, [{ ...worker, waiting: true }]), 'soon');
      same(why({ rate_limit: '1/min' }, [{ ...worker, waiting: true }]), 'rate');
      same([why({ depth: { ...depth, blocked: 1 } }, [worker], { concurrency_key: 'k' }), why({ depth: { ...depth, blocked: 1 } }, [worker])], ['key', 'busy']);
    },
  ],
  [
    'times and counts are told in words',
    async () => {
      const { capped, count, duration, perTime, plural, relative, short } = await load('/src/lib/format.ts');
      same([0, 0.62, 5, 900, 1_500, 61_000, 3_600_000, 90_061_000].map(duration), ['0 ms', '0.6 ms', '5 ms', '900 ms', '1.5 s', '1m 1s', '1h', '1d 1h']);
      const now = Date.parse('2026-01-20T12:00:00Z');
      same(['2026-01-20T11:59:59.5Z', '2026-01-20T11:59:20Z', '2026-01-20T12:02:30Z'].map((time) => relative(time, now)), ['just now', '40 s ago', 'in 2m 30s']);
      same([999, 10_000, 123_456, 2_500_000].map(short), ['999', '10.0k', '123k', '2.5M']);
      same([0, 28, 999, 1_000, 120_000].map(perTime), ['0/min', '28/min', '999/min', '17/s', '2,000/s']);
      same([plural(1, 'task'), plural(1_200, 'task'), count(10_000)], ['1 task', '1,200 tasks', '10,000']);
      same([capped(10_000, false), capped(10_000, true), capped(0, true)], ['10,000+', '10,000', '0']);
    },
  ],
];
