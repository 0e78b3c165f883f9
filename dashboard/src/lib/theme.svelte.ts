type Choice = 'system' | 'light' | 'dark';

const name = 'semel.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

class Theme {
  choice = $state<Choice>((localStorage.getItem(name) as Choice | null) ?? 'system');
  private system = $state(dark.matches);

  constructor() {
    dark.addEventListener('change', (event) => {
      this.system = event.matches;
      this.apply();
    });
    this.apply();
  }

  get isDark(): boolean {
    return this.choice === 'dark' || (this.choice === 'system' && this.system);
  }

  toggle(): void {
    this.choice = this.isDark ? 'light' : 'dark';
    localStorage.setItem(name, this.choice);
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset['theme'] = this.isDark ? 'dark' : 'light';
  }
}

export const theme = new Theme();
