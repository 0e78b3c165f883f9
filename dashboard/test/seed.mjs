// What the pages have to show: tasks in every state, runs, schedules, duplicates, made by requests and real workers.

import { processOrder } from './code_worker.mjs';

export const templates = {
  order: {
    namespace: 'shop', name: 'order', version: '1.0.0', queue: 'orders', description: 'Takes an order from the payment to the parcel.',
    identity: { strategy: 'strict', ignore: ['/trace'] },
    steps: [
      { name: 'charge', handler: 'charge_card' },
      { name: 'reserve', handler: 'reserve_stock' },
      { name: 'pick', handler: 'pick_item', depends_on: ['charge', 'reserve'], for_each: { path: '/items', max_parallel: 2 } },
      { name: 'wrap', handler: 'wrap_gift', depends_on: ['pick'], when: { path: '/gift', equals: true } },
      { name: 'ship', handler: 'ship_parcel', depends_on: ['pick', 'wrap'] },
      { name: 'invoice', handler: 'send_invoice', depends_on: ['charge'] },
    ],
  },
  refund: {
    namespace: 'shop', name: 'refund', version: '1.0.0', queue: 'refunds', max_attempts: 1,
    steps: [
      { name: 'pay_back', handler: 'pay_back' },
      { name: 'tell', handler: 'tell_customer', depends_on: ['pay_back'], on_upstream_failure: 'block' },
    ],
  },
  report: { namespace: 'ops', name: 'report', version: '1.2.0', description: 'The numbers of one day.', identity: { strategy: 'strict' } },
};

const handler = `input=$(cat)
case $SEMEL_TASK_HANDLER in
  charge_card) echo '{"receipt": "r-1017", "amount": 9007199254740993}' ;;
  pick_item) echo "\\"picked\\"" ;;
  fetch_rates) echo "the exchange closed the connection" >&2; exit 1 ;;
  pay_back) echo "the bank is closed" >&2; exit 1 ;;
  *) echo "{\\"done\\": \\"$SEMEL_TASK_HANDLER\\"}" ;;
esac`;

export async function seed(server) {
  const script = server.script('handle.sh', handler);
  for (const template of Object.values(templates)) await server.put('/v1/templates', template);
  await server.put('/v1/templates', { ...templates.report, version: '1.3.0', identity: { strategy: 'strict', fields: ['/day'], period: '1h' } });
  const made = {};

  const payment = { handler: 'charge_card', queue: 'payments', idempotency_key: 'order-1017', context: { order: 1017, amount: 129.9, currency: 'EUR', account: 9007199254740993n }, labels: { team: 'checkout' } };
  const text = JSON.stringify(payment, (_, value) => (typeof value === 'bigint' ? `#${value}#` : value)).replace(/"#(\d+)#"/g, '$1');
  made.payment = (await server.post('/v1/tasks', text)).task_uuid;
  for (const more of [{}, { on_duplicate: 'describe' }, { on_duplicate: 'return_existing' }])
    await server.post('/v1/tasks', text.replace(/^\{/, `{${JSON.stringify(more).slice(1, -1)}${Object.keys(more).length ? ',' : ''}`), { expect: [200, 409] });
  await server.post('/v1/tasks', { ...payment, context: { order: 1017, amount: 999 } }, { expect: [422] });

  made.report = await server.submit({ namespace: 'ops', name: 'report', version: '1.2.0', queue: 'reports', context: { day: '2026-01-20', total: 100.0 } });
  for (let i = 0; i < 24; ++i) await server.submit({ handler: 'send_mail', queue: 'mail', idempotency_key: `welcome-${i}`, context: { to: `user${i}@example.com` }, labels: { team: i % 2 ? 'growth' : 'support' } });
  for (let i = 0; i < 6; ++i) await server.post('/v1/tasks', { handler: 'send_mail', queue: 'mail', idempotency_key: `welcome-${i}`, context: { to: `user${i}@example.com` } }, { expect: [409] });
  made.failed = await server.submit({ handler: 'fetch_rates', queue: 'rates', max_attempts: 2, retry: { backoff: 'fixed', base: '1ms', cap: '1ms', jitter: 0 }, context: { pair: 'EUR/USD' }, idempotency_key: 'rates-7' });
  for (let i = 0; i < 3; ++i) await server.submit({ handler: 'fetch_rates', queue: 'rates', max_attempts: 1, context: { pair: `EUR/${i}` } });
  made.order = await server.submit({ namespace: 'shop', name: 'order', context: { order: 7, items: ['pen', 'ink', 'paper'], gift: false, trace: 'a' } });
  made.refund = await server.submit({ namespace: 'shop', name: 'refund', context: { order: 7 } });

  server.work(['payments', 'mail', 'reports', 'rates', 'orders', 'refunds'], script, ['--concurrency', '4', '--envelope', '--worker-id', 'seeder']);
  // Its second attempt is due a moment later: a worker that ends when nothing is ready may be too early for it.
  for (let tries = 0; tries < 50 && (await server.get(`/v1/tasks/${made.failed}`)).status !== 'failed'; ++tries) server.work(['rates'], script);
  made.waiting = await server.submit({ handler: 'settle', queue: 'night', delay: '6h', idempotency_key: 'settle-today', context: {} });
  for (let i = 0; i < 5; ++i) await server.submit({ handler: 'import_rows', queue: 'imports', context: { file: i } });
  const start = { kind: 'process_order', queue: 'code', input: { order: 7 } };
  server.run_code({ id: 'coder', queues: ['code'], workflows: ['process_order', 'pack'], handlers: ['charge_card'], code: processOrder });
  made.workflow = (await server.post('/v1/workflows', { ...start, workflow_id: 'order-7' })).workflow_execution_id;
  await server.post('/v1/promises', { idempotency_key: 'contract-signed' });
  await server.until(`/v1/workflows/${made.workflow}`, (workflow) => workflow.open_children === 1);
  made.promise = (await server.get(`/v1/tasks?parent=${made.workflow}&kind=promise`)).tasks[0].task_uuid;
  await server.put('/v1/queues/imports', { max_running: 2, rate_limit: '100/min' });
  await server.put('/v1/schedules/morning-report', { cron: '0 9 * * *', time_zone: 'Europe/Lisbon', task: { handler: 'send_report', queue: 'reports' } });
  await server.put('/v1/schedules/hourly-sync', { cron: '5 * * * *', task: { handler: 'sync', queue: 'mail' } });
  await server.post('/v1/schedules/hourly-sync/run');
  return made;
}
