/**
 * The row that j and k chose, in the first list of the page. It is known by where its link leads, which for a task has its
 * id in it: a live list may draw its rows anew, and the one that was chosen must still be the one that Enter opens.
 */
class Rows {
  private link: HTMLAnchorElement | undefined;
  private address = '';
  private at = -1; // where it was, for when it has left the list

  /** Chooses the next row, or the one before; from where the last was if that is gone. */
  step(by: 1 | -1): void {
    const rows = all();
    const now = rows.findIndex((row) => row === document.activeElement || (!isFocused() && row.href === this.address));
    const next = now >= 0 ? now + by : isFocused() || this.at < 0 ? 0 : this.at + (by > 0 ? 0 : -1);
    this.choose(rows, Math.max(0, Math.min(rows.length - 1, next)));
  }

  /** To be called when the page has drawn something: a chosen row that was drawn anew is chosen still. */
  drawn(): void {
    if (this.link === undefined || this.link.isConnected || isFocused()) return;
    const rows = all();
    const again = rows.findIndex((row) => row.href === this.address);
    if (again >= 0) this.choose(rows, again, true); // whoever has scrolled on stays there
  }

  /** Another page has other rows. */
  forget(): void {
    this.link = undefined;
    this.address = '';
    this.at = -1;
  }

  private choose(rows: HTMLAnchorElement[], at: number, isDrawn = false): void {
    const link = rows[at];
    if (link === undefined) return;
    [this.link, this.address, this.at] = [link, link.href, at];
    link.focus({ preventScroll: isDrawn });
  }
}

const all = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>('main tr a.main')];
/** Whether something has the focus; what takes the one who had it off the page leaves it with the body. */
const isFocused = (): boolean => document.activeElement !== null && document.activeElement !== document.body;

export const rows = new Rows();
