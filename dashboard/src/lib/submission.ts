import { isCode } from './format';
import type { Json } from './json';
import type { Task, TaskIdentity } from './types';

export type Submission = { [key: string]: Json };

/** What one would send to mean this task again. */
export function submissionOf(task: Task, isOfItsVersion = false): Submission {
  const submission: Submission = {};
  if (task.name === undefined || task.run_id !== undefined) {
    submission['handler'] = task.handler ?? '';
  } else {
    submission['namespace'] = task.namespace ?? 'default';
    submission['name'] = task.name;
    if (task.version !== undefined && (isOfItsVersion || task.identity.scope === 'template_version'))
      submission['version'] = task.version;
  }
  submission['queue'] = task.queue; // also `default`: the template may say another one
  if (task.idempotency_key !== undefined) submission['idempotency_key'] = task.idempotency_key;
  submission['context'] = task.context;
  return submission;
}

/** A firing of a schedule is identified by the schedule and its time: nobody can send that. Workflows of code and promises are not explained. */
export function canBeSent(task: Task): boolean {
  if (task.kind === 'promise' || isCode(task)) return false;
  return task.identity.mode !== 'none' && task.identity.scope !== 'schedule';
}

type Hashed = Pick<TaskIdentity, 'hash' | 'bucket'>;

/** Why what was sent then would have another hash now; nothing when it has the same. */
export function whyOtherHash(then: Hashed, now: Hashed): string | undefined {
  if (then.hash === now.hash) return undefined;
  const isOfPeriods = then.bucket !== undefined && now.bucket !== undefined;
  if (isOfPeriods && then.bucket !== now.bucket) return 'Its period has passed: sent now, this would be in another one, with another hash.';
  return 'The template’s identity settings have changed since: sent now, this would have another hash.';
}

/** In words, for people who have not read the documentation. */
export const strategyText: Record<string, string> = {
  strict: 'its content',
  caller_provided: 'a key that the caller chose',
  always_unique: 'nothing: every submission is a new task',
};

export const scopeText: Record<string, string> = {
  template: 'among the tasks of this template, whatever its version',
  template_version: 'among the tasks of this version of the template',
  queue: 'among the tasks of this queue',
  tenant: 'among all that has a key in this tenant',
  schedule: 'among the firings of its schedule',
};

/** Where a key is looked for, as somebody writes it: "" for the tenant, "mail" for a queue, "shop/order", "shop/order@1.0.0". */
export function scopeFrom(text: string): Record<string, string> {
  const parts = /^\s*([^/]*)\/([^@]*)(?:@(.*))?$/.exec(text);
  if (parts === null) return { queue: text.trim() };
  const [, namespace = '', name = '', version = ''] = parts;
  return { namespace, name: name.trim(), version: version.trim() };
}
