import { queryText, type Query } from './api';
import { isCode } from './format';
import type { Kind, TaskListItem } from './types';

/** Dead letters of one origin: a handler, a kind of code, or a template of runs. Names of these may be the same. */
export interface Group {
  kind: Kind | '';
  handler: string;
  template: string; // namespace/name
}

/** A promise that was rejected has nobody to blame. */
export function groupOf(task: TaskListItem): Group | undefined {
  if (task.kind === 'workflow' && !isCode(task)) return { kind: 'workflow', handler: '', template: `${task.namespace}/${task.name}` };
  return task.handler === undefined ? undefined : { kind: task.kind, handler: task.handler, template: '' };
}

export function groupFrom(search: URLSearchParams): Group {
  return { kind: (search.get('kind') ?? '') as Kind | '', handler: search.get('handler') ?? '', template: search.get('template') ?? '' };
}

export const addressOf = ({ kind, handler, template }: Group): string => `/dead-letters${queryText({ kind, handler, template })}`;

/** As the API takes it: the handler of a workflow is known by its kind. */
export function queryOf({ kind, handler, template }: Group): Query {
  const slash = template.indexOf('/');
  return { kind, handler, namespace: slash < 0 ? '' : template.slice(0, slash), name: template.slice(slash + 1) };
}

export function textOf({ kind, handler, template }: Group): string {
  const name = template || handler;
  return kind === 'workflow' && name !== '' ? `workflow ${name}` : name;
}
