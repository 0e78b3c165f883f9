import { ApiError } from './api';

interface Notice {
  id: number;
  kind: 'good' | 'bad';
  text: string;
  advice: string;
}

/** Short messages about what was just done. */
class Notices {
  list = $state<Notice[]>([]);
  private next = 1;

  good(text: string): void {
    this.add({ id: this.next++, kind: 'good', text, advice: '' }, 4_000);
  }

  bad(error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    this.add({ id: this.next++, kind: 'bad', text: error.message, advice: error.advice }, 12_000);
  }

  close(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }

  private add(notice: Notice, ms: number): void {
    this.list = [...this.list.slice(-3), notice];
    setTimeout(() => this.close(notice.id), ms);
  }
}

export const notices = new Notices();

/** Does something and tells how it went; whether it went well. */
export async function attempt(act: () => Promise<unknown>, done: string): Promise<boolean> {
  try {
    await act();
  } catch (error) {
    notices.bad(error);
    return false;
  }
  notices.good(done);
  return true;
}
