// A worker that has the code of a workflow, over gRPC as any worker in any language: HTTP/2 frames and the few fields of
// proto/semel/v1/worker.proto and command.proto that it needs.
import { connect } from 'node:http2';

/** One field: text and bytes with their length, numbers as varints. */
function field(number, value) {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}
const message = (...fields) => Buffer.concat(fields);
const json = (value) => JSON.stringify(value);

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

/** The fields of a message: number → values; what has a length stays bytes. */
function fieldsOf(bytes) {
  const fields = new Map();
  let at = 0;
  const read = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = read();
    const number = Math.floor(tag / 8);
    const value = tag % 8 === 0 ? read() : ((length) => bytes.subarray(at, (at += length)))(read());
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}
const text = (fields, number) => String(fields.get(number)?.[0] ?? '');
const part = (fields, number) => fieldsOf(fields.get(number)?.[0] ?? Buffer.alloc(0));

// What code can say.
const commands = {
  task: (kind, input) => field(2, message(field(1, kind), field(2, json(input)))),
  timer: (seconds) => field(3, message(field(2, message(field(1, seconds))))),
  child: (kind, workflowId) => field(4, message(field(1, kind), field(3, workflowId))),
  promise: (key) => field(5, message(field(1, key))),
};

/**
 * Runs until it is stopped. `code` is given all events of a workflow, [{ kind, key, detail }], and its id, and says what it
 * comes to: { commands: [[name, …arguments]], status, result, error }. Tasks are done by saying what their handler is.
 */
export class CodeWorker {
  #seen = new Map(); // workflow → its events and how many commands it has given

  constructor(address, { id, key, queues, workflows, handlers, code }) {
    this.code = code;
    this.session = connect(`http://${address}`);
    this.session.on('error', () => undefined); // the server is stopped before its worker, at times
    this.stream = this.session.request({ ':method': 'POST', ':path': '/semel.v1.WorkerService/Connect', 'content-type': 'application/grpc', te: 'trailers', ...(key ? { authorization: `Bearer ${key}` } : {}) });
    this.stream.on('error', () => undefined);
    let rest = Buffer.alloc(0);
    this.stream.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
        const size = rest.readUInt32BE(1);
        this.#take(fieldsOf(rest.subarray(5, 5 + size)));
        rest = rest.subarray(5 + size);
      }
    });
    const names = [...queues.map((queue) => field(2, queue)), ...handlers.map((handler) => field(4, handler)), ...workflows.map((kind) => field(6, kind))];
    this.#send(field(1, message(field(1, id), ...names)), field(2, 4));
  }

  stop() {
    this.stream.close();
    this.session.destroy();
  }

  #send(...fields) {
    const body = message(...fields);
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(body.length, 1);
    this.stream.write(Buffer.concat([frame, body]));
  }

  #take(fromServer) {
    for (const bytes of fromServer.get(1) ?? []) {
      const lease = fieldsOf(bytes);
      const outcome = lease.has(19) ? field(4, this.#activate(text(lease, 2), part(lease, 19))) : field(2, message(field(1, json({ done: text(lease, 4) }))));
      this.#send(field(3, message(field(1, text(lease, 1)), outcome)), field(2, 1));
    }
  }

  #activate(id, activation) {
    const known = this.#seen.get(id) ?? { events: [], commands: 0 };
    for (const bytes of activation.get(5) ?? []) {
      const event = fieldsOf(bytes);
      known.events.push({ kind: text(event, 3), key: text(event, 4), detail: event.has(5) ? JSON.parse(text(event, 5)) : undefined });
    }
    this.#seen.set(id, known);
    const said = this.code(known.events, id);
    const fields = [field(1, id), field(2, activation.get(3)?.[0] ?? 0)];
    for (const [name, ...given] of said.commands ?? []) fields.push(field(3, message(field(1, (known.commands += 1)), commands[name](...given))));
    if (said.status !== undefined) fields.push(field(4, json(said.status)));
    if (said.error !== undefined) fields.push(field(6, message(field(1, json(said.error)))));
    if (said.result !== undefined) fields.push(field(5, message(field(1, json(said.result)))));
    return message(...fields);
  }
}

/** An order: it is paid, somebody has to approve it, and a workflow of its own packs it. */
export function processOrder(events, id) {
  const isOver = (key) => events.some((event) => event.kind === 'task_completed' && event.key === key);
  const note = events.findLast((event) => event.kind === 'signal_received');
  const last = events.at(-1);
  if (last.kind === 'run_started') {
    return { commands: [['task', 'charge_card', { amount: 12 }], ['timer', 3_600], ['promise', `approval-${id.slice(-6)}`]], status: { step: 'waiting for approval' } };
  }
  if (isOver('workflow:pack#4')) return { result: { shipped: true } };
  if (isOver('promise#3') && last.key === 'promise#3') return { commands: [['child', 'pack', `pack-${id.slice(-6)}`]], status: { step: 'packing' } };
  return { status: { step: 'waiting for approval', note: note?.detail ?? null } };
}
