// node test/million.mjs [COUNT]: how long the calls of the dashboard take on a store with a million tasks. Run by
// `script/test --long`. It prints one line a call: FAILED for a list that has an index and takes 50 ms or more at the 99th
// percentile, or finds nothing; then it ends with 1.
import { Server } from './server.mjs';

const count = Number(process.argv[2] ?? 1_000_000);
const calls = 300;
const server = await Server.start();

async function each(total, parallel, act) {
  let next = 0;
  await Promise.all(Array.from({ length: parallel }, async () => {
    while (next < total) await act(next++);
  }));
}

const begun = Date.now();
// The oldest of all, so that a list has to find them behind everything else.
await server.put('/v1/templates', { namespace: 'shop', name: 'mail', version: '1.0.0', handler: 'mail' });
await server.put('/v1/templates', { namespace: 'shop', name: 'order', version: '1.0.0', queue: 'orders', steps: [{ name: 'a', handler: 'a' }, { name: 'b', handler: 'b', depends_on: ['a'] }] });
for (let i = 0; i < 100; ++i) {
  await server.submit({ namespace: 'shop', name: 'order', context: { order: i } });
  await server.post('/v1/promises', { idempotency_key: `promise-${i}` });
  await server.submit({ handler: 'rare', queue: 'rare', max_attempts: 1, context: { who: `rare-${i}` }, labels: { customer: `${i % 2}` } });
}
const early = await server.post('/v1/worker/poll', { worker_id: 'million', queues: ['rare'], max: 60 });
await server.post('/v1/attempts:batch', { outcomes: early.leases.map(({ attempt_id }) => ({ attempt_id, fail: { error: { type: 'NO', message: 'no' }, retryable: false } })) });
await each(count / 1_000, 8, (batch) =>
  server.post('/v1/tasks:batch', {
    tasks: Array.from({ length: 1_000 }, (_, i) => ({ ...(i % 20 === 0 ? { namespace: 'shop', name: 'mail' } : { handler: `handler-${i % 20}` }), queue: `queue-${i % 10}`, idempotency_key: `${batch}-${i}`, context: { n: i }, labels: { team: `team-${i % 50}` }, max_attempts: 1 })),
  }),
);
console.log(`${count} tasks in ${((Date.now() - begun) / 1_000).toFixed(0)} s`);

/** Some of every state: leased from the oldest on, and ended. */
async function end(total, outcome) {
  await each(total / 1_000, 4, async (at) => {
    const { leases } = await server.post('/v1/worker/poll', { worker_id: 'million', queues: [`queue-${at % 10}`], max: 1_000 });
    await server.post('/v1/attempts:batch', { outcomes: leases.map(({ attempt_id }) => ({ attempt_id, ...outcome })) });
  });
}
await end(count * 0.3, { complete: { result: 1 } });
// What comes and goes at once: the newest of all that are completed.
await server.post('/v1/tasks:batch', { tasks: Array.from({ length: 100 }, (_, i) => ({ handler: 'quick', queue: 'quick', context: { i } })) });
const quick = await server.post('/v1/worker/poll', { worker_id: 'million', queues: ['quick'], max: 100 });
await server.post('/v1/attempts:batch', { outcomes: quick.leases.map(({ attempt_id }) => ({ attempt_id, complete: { result: 1 } })) });
await server.post('/v1/worker/poll', { worker_id: 'million', queues: ['queue-1'], max: 60, lease_ms: 600_000 }); // these run

const first = await server.get('/v1/tasks?limit=50');
let deep = first;
for (let i = 0; i < 40 && deep.next_cursor; ++i) deep = await server.get(`/v1/tasks?limit=1000&cursor=${encodeURIComponent(deep.next_cursor)}`);
const hour = encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString());
const run = (await server.get('/v1/tasks?kind=workflow&limit=1')).tasks[0].task_uuid;
// What has an index, or is among the newest; what is rare and has none; and what has to look through rows that are not meant.
// A page of these is bounded, and the next one goes on, as the dashboard does by itself until it has found something.
const indexed = {
  'newest tasks': '/v1/tasks?limit=50',
  'of one state': '/v1/tasks?limit=50&status=completed',
  'of one queue': '/v1/tasks?limit=50&queue=queue-3',
  'of one queue and state': '/v1/tasks?limit=50&queue=queue-3&status=pending',
  'of one handler': '/v1/tasks?limit=50&handler=handler-7',
  'of one template': '/v1/tasks?limit=50&namespace=shop&name=mail',
  'with one label': '/v1/tasks?limit=50&label=team%3Dteam-7',
  'of the last hour': `/v1/tasks?limit=50&created_after=${hour}`,
  '40,000 tasks back': `/v1/tasks?limit=50&cursor=${encodeURIComponent(deep.next_cursor ?? '')}`,
  'dead letters': '/v1/tasks?limit=50&status=failed&status=timed_out',
  'dead letters of a rare queue': '/v1/tasks?limit=50&status=failed&status=timed_out&queue=rare',
  'dead letters of a handler': '/v1/tasks?limit=50&status=failed&status=timed_out&kind=task&handler=rare',
  'running': '/v1/tasks?limit=50&status=running',
  'running, with who has them': '/v1/tasks?limit=1000&status=running&leases=true',
  'running in one queue': '/v1/tasks?limit=50&status=running&queue=queue-1',
  'workflows': '/v1/tasks?limit=50&kind=workflow',
  'workflows of one state': '/v1/tasks?limit=50&kind=workflow&status=suspended',
  'workflows of one template': '/v1/tasks?limit=50&kind=workflow&namespace=shop&name=order',
  'promises': '/v1/tasks?limit=50&kind=promise',
  'promises of one state': '/v1/tasks?limit=50&kind=promise&status=pending',
  'tasks of a run': `/v1/tasks?limit=50&parent=${run}`,
  'one task': `/v1/tasks/${first.tasks[0].task_uuid}`,
  'the overview': '/v1/overview?span=day',
  'workers': '/v1/workers',
};
// Each answer is under 50 ms, also of the first search after a start; and whoever looks again has all of it in one.
const rare = {
  'a rare queue, oldest of all': '/v1/tasks?limit=50&queue=rare',
  'a rare handler, oldest of all': '/v1/tasks?limit=50&handler=rare',
  'a rare label, oldest of all': '/v1/tasks?limit=50&label=customer%3D1',
  'a queue that nobody has used': '/v1/tasks?limit=50&queue=nowhere',
};
const others = {
  'queues': '/v1/queues?history=true',
  'a text in contexts': '/v1/tasks?limit=50&context_text=rare-7&context_path=/who',
  'a count of failures': '/v1/tasks:count?status=failed',
  'a count of all': '/v1/tasks:count',
};

/** Reads a list until it has found something; how many tasks, or nothing of what is no list. `each` gets what every answer took. */
async function found(path, each = []) {
  const read = async (at) => {
    const start = performance.now();
    const page = await server.get(at);
    each.push(performance.now() - start);
    return page;
  };
  let page = await read(path);
  for (let more = 0; page.tasks?.length === 0 && page.next_cursor !== undefined && more < 1_000; ++more) page = await read(`${path}&cursor=${encodeURIComponent(page.next_cursor)}`);
  return page.tasks?.length;
}

const quantile = (times, share) => [...times].sort((left, right) => left - right)[Math.min(times.length - 1, Math.floor(times.length * share))];

/** The first search for something rare, answer by answer; then the same again and again. */
async function measureRare(path) {
  const first = [];
  await found(path, first);
  const again = [];
  let answers = 0;
  for (let i = 0; i < calls; ++i) {
    const each = [];
    await found(path, each);
    again.push(each.reduce((sum, one) => sum + one, 0));
    answers = Math.max(answers, each.length);
  }
  const [slowest, most] = [quantile(first, 0.99), quantile(again, 0.99)];
  return {
    isGood: slowest < 50 && most < 50,
    text: `first ${first.length} answers, ${first.reduce((sum, one) => sum + one, 0).toFixed(0)} ms, each p99 ${slowest.toFixed(1)} ms; then ${answers} answers, p50 ${quantile(again, 0.5).toFixed(1)} ms, p99 ${most.toFixed(1)} ms`,
  };
}

/** How long it takes, and whether it is as it should be. */
async function measure(path, isIndexed) {
  const times = [];
  let many;
  for (let i = 0; i < (isIndexed ? calls : 30); ++i) {
    const start = performance.now();
    many = isIndexed ? (await server.get(path)).tasks?.length : await found(path);
    times.push(performance.now() - start);
  }
  times.sort((left, right) => left - right);
  const [half, most] = [times[Math.floor(times.length / 2)], times[Math.floor(times.length * 0.99)]];
  return { isGood: many !== 0 && (!isIndexed || most < 50), text: `p50 ${half.toFixed(1)} ms, p99 ${most.toFixed(1)} ms${many === undefined ? '' : `, ${many} found`}${isIndexed ? '' : ', no index'}` };
}

let isBad = false;
for (const [name, path] of Object.entries({ ...indexed, ...rare, ...others })) {
  const { isGood, text } = name in rare ? await measureRare(path) : await measure(path, name in indexed);
  isBad ||= !isGood;
  console.log(`${isGood ? 'ok' : 'FAILED'} ${name}: ${text}`);
}
await server.stop();
process.exit(isBad ? 1 : 0);
