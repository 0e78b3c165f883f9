import { ApiError, call, keyStore, whenUnauthorized } from './api';
import type { Permission, WhoAmI } from './types';

type Phase = 'asking' | 'login' | 'in' | 'unreachable';

/** Who looks at the page. The server decides what they may do; the page only leaves out what would be refused. */
class Session {
  phase = $state<Phase>('asking');
  who = $state<WhoAmI | undefined>();
  problem = $state('');

  may(permission: Permission): boolean {
    return this.who?.permissions.includes(permission) ?? false;
  }

  get isReadOnly(): boolean {
    return !this.may('tasks:create') && !this.may('tasks:cancel') && !this.may('admin');
  }

  async ask(): Promise<void> {
    try {
      this.who = await call<WhoAmI>('GET', '/v1/whoami');
      this.phase = 'in';
      this.problem = '';
    } catch (error) {
      this.fail(error);
    }
  }

  async logIn(key: string): Promise<void> {
    keyStore.set(key.trim());
    await this.ask();
  }

  logOut(): void {
    keyStore.clear();
    this.who = undefined;
    this.problem = '';
    this.phase = 'asking';
    void this.ask();
  }

  private fail(error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) {
      this.problem = keyStore.get() === '' ? '' : 'The server does not know this key. It may have been revoked or have expired.';
      keyStore.clear();
      this.phase = 'login';
    } else if (this.phase !== 'in') {
      this.problem = error.message;
      this.phase = 'unreachable';
    }
  }
}

export const session = new Session();

whenUnauthorized(() => {
  if (session.phase !== 'in') return;
  session.problem = 'The server no longer takes this key. Log in again.';
  session.who = undefined;
  keyStore.clear();
  session.phase = 'login';
});
