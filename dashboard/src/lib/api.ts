import { adviceOn } from './advice';
import { parse, stringify, type Json } from './json';

/** A refusal of the server, or no answer at all (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId = '',
    readonly body: { [key: string]: Json } = {},
  ) {
    super(message);
  }

  /** What whoever reads this can do about it. */
  get advice(): string {
    return adviceOn(this.status, this.code);
  }
}

const keyName = 'semel.key';
let onUnauthorized: () => void = () => undefined;

/** The key lives as long as the tab: sessionStorage, never a cookie, so no other site can make use of it. */
export const keyStore = {
  get: (): string => sessionStorage.getItem(keyName) ?? '',
  set: (key: string): void => sessionStorage.setItem(keyName, key),
  clear: (): void => sessionStorage.removeItem(keyName),
};

export function whenUnauthorized(callback: () => void): void {
  onUnauthorized = callback;
}

export function authorization(): Record<string, string> {
  const key = keyStore.get();
  return key === '' ? {} : { Authorization: `Bearer ${key}` };
}

export type Query = Record<string, string | number | boolean | string[] | undefined>;

export function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

interface Options {
  query?: Query;
  body?: Json;
  text?: { type: string; body: string }; // instead of a body: sent as it is
  signal?: AbortSignal;
}

async function send(method: string, path: string, options: Options): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...authorization() };
  let body: string | undefined;
  if (options.text !== undefined) {
    headers['Content-Type'] = options.text.type;
    body = options.text.body;
  } else if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    body = stringify(options.body);
  }
  try {
    return await fetch(path + queryText(options.query ?? {}), { method, headers, body, signal: options.signal });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'UNREACHABLE', 'The server does not answer.');
  }
}

export async function call<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : parse(text)) as T;
  const refusal = readRefusal(response, text);
  if (refusal.status === 401) onUnauthorized();
  throw refusal;
}

function readRefusal(response: Response, text: string): ApiError {
  const requestId = response.headers.get('X-Request-Id') ?? '';
  try {
    const error = (parse(text) as { error: { code: string; message: string } }).error;
    return new ApiError(response.status, error.code, error.message, requestId, error as never);
  } catch {
    return new ApiError(response.status, String(response.status), text.slice(0, 200) || response.statusText, requestId);
  }
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  call<T>('GET', path, { query, signal });
export const post = <T>(path: string, body: Json = {}, query?: Query): Promise<T> => call<T>('POST', path, { body, query });
export const put = <T>(path: string, body: Json): Promise<T> => call<T>('PUT', path, { body });
export const remove = <T>(path: string, query?: Query): Promise<T> => call<T>('DELETE', path, { query });

/** A part of a path. */
export const part = encodeURIComponent;
