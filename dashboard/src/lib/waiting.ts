import { count, plural } from './format';
import type { Queue, Task, Worker } from './types';

export interface Wait {
  reason: 'paused' | 'pushed' | 'full' | 'key' | 'rate' | 'no_worker' | 'busy' | 'soon';
  text: string;
}

/** Why nobody has a task that is due: what holds for sure first, then what is likely. */
export function whyItWaits(task: Pick<Task, 'queue' | 'handler' | 'concurrency_key'>, queue: Queue, workers: Worker[]): Wait {
  if (queue.paused) return { reason: 'paused', text: 'The queue is paused: nothing of it is given out until it is resumed.' };
  if (queue.max_running && queue.depth.running >= queue.max_running)
    return { reason: 'full', text: `As many tasks of the queue run as may at once: ${count(queue.max_running)}. The next begins when one of them ends.` };
  if (queue.target) return { reason: 'pushed', text: `The queue pushes its tasks to ${queue.target}; it is sent as soon as that takes more.` };
  const theirs = workers.filter((worker) => worker.queues.includes(task.queue) && (worker.handlers === undefined || worker.handlers.includes(task.handler ?? '')));
  if (theirs.length === 0) return { reason: 'no_worker', text: 'No worker has asked this server for it within the last hour. One that does is:' };
  if (task.concurrency_key !== undefined && queue.depth.blocked > 0)
    return { reason: 'key', text: `Perhaps another task with its concurrency key runs: ${plural(queue.depth.blocked, 'task')} of the queue wait for that.` };
  if (queue.rate_limit && theirs.some((worker) => worker.waiting)) return { reason: 'rate', text: `Workers wait for it: the queue begins ${queue.rate_limit} at most.` };
  if (theirs.some((worker) => worker.waiting)) return { reason: 'soon', text: 'A worker waits for such tasks: it should have it in a moment.' };
  const ready = queue.depth.ready > 1 ? ` ${count(queue.depth.ready)} tasks are ready in the queue, and come by priority and age.` : '';
  return { reason: 'busy', text: `Of the ${plural(theirs.length, 'worker')} that took such tasks in the last hour none asks for one right now.${ready}` };
}
