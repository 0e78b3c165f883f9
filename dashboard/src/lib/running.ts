import { get } from './api';
import type { Lease, TaskList, TaskListItem } from './types';

export interface Held {
  task: TaskListItem;
  lease: Lease;
}

/** More than people read, and what a browser draws at once. */
export const runningMax = 5_000;
const pageSize = 1_000;
const pagesMax = 50; // a page may be short

/** Everything that runs, with who has it, newest first; `isMore`: there is more than is read here. */
export async function readRunning(signal: AbortSignal): Promise<{ found: Held[]; isMore: boolean }> {
  const found: Held[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax && found.length < runningMax; ++page) {
    const list: TaskList = await get<TaskList>('/v1/tasks', { status: 'running', kind: 'task', leases: 'true', limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }, signal);
    for (const task of list.tasks) if (task.lease) found.push({ task, lease: task.lease }); // others have just ended
    cursor = list.next_cursor;
    if (cursor === undefined) break;
  }
  return { found, isMore: cursor !== undefined };
}
