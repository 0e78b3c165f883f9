import { ApiError } from './api';
import { events } from './events.svelte';
import type { TaskEvent } from './types';

interface Options {
  everyMs?: number; // loads again so often
  on?: (event: TaskEvent) => boolean; // loads again when such an event comes
  atMostEveryMs?: number; // ... but not more often than this
}

/**
 * Something that is read from the server and kept fresh. To be made while a component is set up; what `read` looks at
 * is tracked, so that it is read again when that changes. What was read before stays until the new is there.
 */
export class Loaded<T> {
  value = $state.raw<T | undefined>();
  error = $state.raw<ApiError | undefined>();
  isLoading = $state(true);
  private controller: AbortController | undefined;
  private lastMs = 0;
  private isStale = false; // something happened while it was read
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly read: (signal: AbortSignal) => Promise<T>,
    private readonly options: Options = {},
  ) {
    $effect(() => {
      void this.reload();
      return () => this.controller?.abort();
    });
    $effect(() => {
      const timer = options.everyMs === undefined ? undefined : setInterval(() => this.again(), options.everyMs);
      const off = options.on === undefined ? undefined : events.on((list, gap) => this.heard(list, gap));
      return () => {
        clearInterval(timer);
        clearTimeout(this.waiting);
        off?.();
      };
    });
  }

  /** Reads anew; what is on its way is not wanted any more. */
  async reload(): Promise<void> {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    this.isLoading = true;
    this.isStale = false;
    this.lastMs = Date.now();
    try {
      const value = await this.read(controller.signal);
      if (controller.signal.aborted) return;
      this.value = value;
      this.error = undefined;
    } catch (error) {
      if (controller.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.error = error;
    } finally {
      if (!controller.signal.aborted) this.settle();
    }
  }

  private settle(): void {
    this.isLoading = false;
    if (this.isStale) this.soon();
  }

  /** What is on its way is let come to its end: where something happens all the time, a slow read would never. */
  private refresh(): void {
    if (this.isLoading) this.isStale = true;
    else void this.reload();
  }

  private again(): void {
    if (document.visibilityState === 'visible') this.refresh();
  }

  private heard(list: TaskEvent[], hadGap: boolean): void {
    if (hadGap || list.some((event) => this.options.on?.(event))) this.soon();
  }

  private soon(): void {
    const wait = this.lastMs + (this.options.atMostEveryMs ?? 1_000) - Date.now();
    if (wait <= 0) return this.refresh();
    this.waiting ??= setTimeout(() => {
      this.waiting = undefined;
      this.refresh();
    }, wait);
  }
}
