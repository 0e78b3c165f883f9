const units: [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** "1.2 s", "3m 20s", "2d 4h": two units at most. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size < 10 && !Number.isInteger(ms)) return `${ms.toFixed(1)} ms`;
  if (size < 1_000) return `${Math.round(ms)} ms`;
  if (size < 60_000) return `${(ms / 1_000).toFixed(size < 10_000 ? 1 : 0)} s`;
  const at = units.findIndex(([, unit]) => size >= unit);
  const [name, unit] = units[at] ?? ['s', 1_000];
  const [smallName, small] = units[at + 1] ?? ['ms', 1];
  const whole = Math.floor(size / unit);
  const rest = Math.floor((size - whole * unit) / small);
  return `${ms < 0 ? '−' : ''}${whole}${name}${rest > 0 ? ` ${rest}${smallName}` : ''}`;
}

export function between(from: string, to: string): string {
  return duration(Date.parse(to) - Date.parse(from));
}

/** "4 s ago", "in 3m 20s", "just now". */
export function relative(time: string, now: number): string {
  const distance = now - Date.parse(time);
  if (Math.abs(distance) < 1_000) return 'just now';
  const text = duration(Math.abs(distance) < 60_000 ? Math.round(distance / 1_000) * 1_000 : distance);
  const plain = text.replace('−', '').replace(/^-/, '').replace(/\.\d/, '');
  return distance > 0 ? `${plain} ago` : `in ${plain}`;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** In the reader's own time zone: "14:03:07" today, "3 Nov 14:03:07" this year. */
export function moment(time: string, now = Date.now()): string {
  const date = new Date(time);
  const today = new Date(now);
  const text = clock.format(date);
  if (date.toDateString() === today.toDateString()) return text;
  return `${(date.getFullYear() === today.getFullYear() ? day : dayAndYear).format(date)} ${text}`;
}

export function exactMoment(time: string): string {
  return new Date(time).toISOString();
}

const whole = new Intl.NumberFormat('en-US');
export const count = (value: number): string => whole.format(value);

/** "1,200", or "10,000+" of what was not counted to its end. */
export const capped = (value: number, isExact: boolean): string => `${count(value)}${isExact ? '' : '+'}`;

/** "950", "12.4k", "3.1M". */
export function short(value: number): string {
  if (value < 10_000) return count(Math.round(value));
  if (value < 999_500) return `${(value / 1_000).toFixed(value < 99_950 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** "0/min", "28/min", "340/s": of so many in a minute. */
export function perTime(inMinute: number): string {
  return inMinute < 1_000 ? `${count(inMinute)}/min` : `${short(Math.round(inMinute / 60))}/s`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** The beginning of a UUID tells time, its end tells apart: both are kept. */
export const shortId = (id: string): string => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id);
export const shortHash = (hash: string): string => `${hash.slice(0, 10)}…${hash.slice(-6)}`;

/** What a status is called on the page. */
export const statusText = (status: string): string => status.replaceAll('_', ' ');

/** Whether it is a workflow that is written as code, and no run of steps. */
export const isCode = (task: { kind: string; name?: string }): boolean => task.kind === 'workflow' && task.name === undefined;

/** "shop/order" of a template, "process_order" of a workflow that is written as code, else the handler; nobody does a promise. */
export function nameOf(task: { namespace?: string; name?: string; handler?: string }): string {
  return task.name === undefined ? (task.handler ?? 'promise') : `${task.namespace}/${task.name}`;
}

/** What tells it from others of its name. A promise and a workflow have a key that somebody chose; "promise#3" says nothing to people. */
export function keyOf(task: { kind: string; task_uuid: string; task_key?: string; idempotency_key?: string }): string {
  const [first, second] = task.kind === 'task' ? [task.task_key, task.idempotency_key] : [task.idempotency_key, task.task_key];
  return first ?? second ?? shortId(task.task_uuid);
}
