import { post, type Query } from './api';
import { ask } from './ask.svelte';
import { capped, count, plural } from './format';
import { notices } from './notices.svelte';

export type Act = 'cancel' | 'retry' | 'delete';

interface Answer {
  matched: number;
  done: number;
  next_cursor?: string;
}

const counted = 10_000; // a confirmation need not know more
const words: Record<Act, { title: string; done: string; text: string }> = {
  cancel: {
    title: 'Cancel',
    done: 'cancelled or asked to stop',
    text: 'What waits is cancelled at once; the workers of what runs are asked to stop.',
  },
  retry: {
    title: 'Retry',
    done: 'back in their queues',
    text: 'They go back into their queues with as many attempts as at first, and get their identities back. Promises and workflows of code are not among them: these are made anew.',
  },
  delete: {
    title: 'Delete',
    done: 'deleted',
    text: 'They are gone for good. What still holds an identity leaves a tombstone, so nothing happens a second time. What belongs to a run goes with it, and is not counted.',
  },
};

async function walk(act: Act, query: Query, dryRun: boolean, upTo: number, tell: (sum: Answer) => void): Promise<Answer> {
  const sum: Answer = { matched: 0, done: 0 };
  let cursor: string | undefined;
  do {
    const page: Answer = await post(`/v1/tasks:${act}`, {}, { ...query, limit: 1_000, cursor, dry_run: dryRun || undefined });
    sum.matched += page.matched;
    sum.done += page.done;
    cursor = page.next_cursor;
    tell(sum);
  } while (cursor !== undefined && sum.matched < upTo);
  return { ...sum, next_cursor: cursor };
}

/** Acts on all tasks that fit, after a question that says how many these are. Whether anything was done. */
export async function actOnAll(act: Act, query: Query): Promise<boolean> {
  const word = words[act];
  // What is created from now on is not meant; and so there always is a filter.
  const meant = { ...query, created_before: query['created_before'] || new Date().toISOString() };
  try {
    const found = await walk(act, meant, true, counted, () => undefined);
    if (found.matched === 0) {
      notices.good(`Nothing to ${act} among these.`);
      return false;
    }
    const many = found.next_cursor === undefined ? plural(found.matched, 'task') : `${capped(counted, false)} tasks`;
    const isMeant = await ask.confirm({ title: `${word.title} ${many}?`, text: word.text, action: `${word.title} ${many}`, isDangerous: act !== 'retry' });
    if (!isMeant) return false;
    const done = await walk(act, meant, false, Infinity, () => undefined);
    const left = done.matched - done.done;
    notices.good(`${plural(done.done, 'task')} ${word.done}${left > 0 ? `; ${count(left)} had changed meanwhile` : ''}.`);
  } catch (error) {
    notices.bad(error);
  }
  return true;
}
