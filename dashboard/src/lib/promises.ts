import { post } from './api';
import { ask } from './ask.svelte';
import { parse } from './json';
import { attempt } from './notices.svelte';

/** Asks for the value of a promise, and resolves it. Whether it is settled now. */
export async function resolvePromise(id: string): Promise<boolean> {
  const value = await ask.question({
    title: 'Resolve this promise',
    text: 'Whoever waits for it goes on with this value. A promise is settled once.',
    action: 'Resolve',
    input: { label: 'Value (JSON)', value: 'null', isJson: true, required: true },
  });
  if (value === undefined) return false;
  return await attempt(() => post(`/v1/promises/${id}/resolve`, { value: parse(value) }), 'The promise is resolved.');
}

/** Asks why, and rejects it. */
export async function rejectPromise(id: string): Promise<boolean> {
  const message = await ask.question({
    title: 'Reject this promise',
    text: 'Whoever waits for it is told that it failed, and why. A promise is settled once.',
    action: 'Reject',
    isDangerous: true,
    input: { label: 'Why', placeholder: 'the customer has declined', required: true },
  });
  if (message === undefined) return false;
  return await attempt(() => post(`/v1/promises/${id}/reject`, { error: { type: 'REJECTED', message } }), 'The promise is rejected.');
}
