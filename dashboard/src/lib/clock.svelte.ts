/** The time that relative times are told from: one for the whole page, a tick a second while somebody looks. */
class Clock {
  now = $state(Date.now());
  constructor() {
    setInterval(() => {
      if (document.visibilityState === 'visible') this.now = Date.now();
    }, 1_000);
  }
}

export const clock = new Clock();
