import type { Query } from './api';
import type { Status } from './types';

/** The filters of a list of tasks, as the address of the page has them. */
export interface Filters {
  status: Status[];
  queue: string;
  template: string; // namespace/name
  handler: string;
  label: string[];
  within: string; // created in the last …: 15m, 1h, 1d, 7d
  parent: string;
  text: string; // in the context
  path: string; // where in it: a JSON Pointer
}

export const spans: Record<string, { text: string; ms: number }> = {
  '15m': { text: 'Last 15 minutes', ms: 900_000 },
  '1h': { text: 'Last hour', ms: 3_600_000 },
  '1d': { text: 'Last 24 hours', ms: 86_400_000 },
  '7d': { text: 'Last 7 days', ms: 604_800_000 },
};

export function filtersFrom(search: URLSearchParams): Filters {
  return {
    status: search.getAll('status') as Status[],
    queue: search.get('queue') ?? '',
    template: search.get('template') ?? '',
    handler: search.get('handler') ?? '',
    label: search.getAll('label'),
    within: search.get('within') ?? '',
    parent: search.get('parent') ?? '',
    text: search.get('text') ?? '',
    path: search.get('path') ?? '',
  };
}

/** As the API takes them. */
export function queryFrom(filters: Filters, now = Date.now()): Query {
  const slash = filters.template.indexOf('/');
  const span = spans[filters.within];
  return {
    status: filters.status,
    queue: filters.queue,
    namespace: slash < 0 ? '' : filters.template.slice(0, slash),
    name: filters.template.slice(slash + 1),
    handler: filters.handler,
    label: filters.label,
    parent: filters.parent,
    context_text: filters.text,
    context_path: filters.text === '' ? '' : filters.path,
    created_after: span === undefined ? '' : new Date(now - span.ms).toISOString(),
  };
}

export function isEmpty(filters: Filters): boolean {
  return Object.values(filters).every((value: string | string[]) => value.length === 0);
}
