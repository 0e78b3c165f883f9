import { authorization } from './api';
import type { TaskEvent } from './types';

type Listener = (events: TaskEvent[], hadGap: boolean) => void;

const gatherMs = 250; // what comes within it is told at once, so that a busy server does not redraw the page all the time
const hiddenMs = 60_000;
const retryMs = [1_000, 2_000, 5_000, 10_000];

/**
 * The one stream of changes of this tab. EventSource cannot send an Authorization header, so the stream is read by
 * fetch. A broken one is resumed after the last event that was seen; what was missed for good comes as a gap.
 */
class Events {
  state = $state<'off' | 'connecting' | 'live'>('off');
  private readonly listeners = new Set<Listener>();
  private lastId = '';
  private gathered: TaskEvent[] = [];
  private hadGap = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private hidden: ReturnType<typeof setTimeout> | undefined;
  private stop: AbortController | undefined;

  start(): void {
    if (this.stop !== undefined) return;
    this.stop = new AbortController();
    void this.run(this.stop.signal);
  }

  end(): void {
    this.stop?.abort();
    this.stop = undefined;
    this.lastId = '';
    this.state = 'off';
  }

  /** Tells the listener of changes until the function it gives is called. */
  on(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A page that nobody looks at needs no stream; there may be 100 of a tenant. */
  visible(isVisible: boolean): void {
    clearTimeout(this.hidden);
    if (!isVisible) this.hidden = setTimeout(() => this.pause(), hiddenMs);
    else if (this.state === 'off' && this.stop !== undefined) this.resume();
  }

  private pause(): void {
    this.stop?.abort();
    this.state = 'off';
  }

  private resume(): void {
    this.stop = new AbortController();
    void this.run(this.stop.signal);
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ++failures) {
      this.state = 'connecting';
      try {
        await this.read(signal, () => (failures = 0));
      } catch {
        // Whatever broke it, the way on is the same: again, after a while.
      }
      if (signal.aborted) return;
      this.state = 'connecting';
      await pause(retryMs[Math.min(failures, retryMs.length - 1)] ?? 1_000, signal);
    }
  }

  private async read(signal: AbortSignal, begun: () => void): Promise<void> {
    const headers: Record<string, string> = { Accept: 'text/event-stream', ...authorization() };
    if (this.lastId !== '') headers['Last-Event-ID'] = this.lastId;
    const response = await fetch('/v1/events', { headers, signal });
    if (!response.ok || response.body === null) throw new Error(String(response.status));
    begun();
    this.state = 'live';
    if (this.lastId === '') this.gap(); // what was read before this moment may have changed before it, unheard
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.take(block);
    }
  }

  private take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => splitField(line)));
    const id = fields.get('id');
    if (id !== undefined) this.lastId = id;
    const kind = fields.get('event');
    if (kind === 'gap') return this.gap();
    if (kind !== 'task') return;
    this.gathered.push(JSON.parse(fields.get('data') ?? '{}') as TaskEvent);
    this.timer ??= setTimeout(() => this.tell(), gatherMs);
  }

  private gap(): void {
    this.hadGap = true;
    this.timer ??= setTimeout(() => this.tell(), gatherMs);
  }

  private tell(): void {
    this.timer = undefined;
    const [events, hadGap] = [this.gathered, this.hadGap];
    this.gathered = [];
    this.hadGap = false;
    for (const listener of [...this.listeners]) listener(events, hadGap);
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

export const events = new Events();
document.addEventListener('visibilitychange', () => events.visible(document.visibilityState === 'visible'));
