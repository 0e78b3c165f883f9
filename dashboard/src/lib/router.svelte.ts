/** Where the page is. All addresses begin with /ui, so that none can be one of the API; / is the overview too. */
class Router {
  path = $state(current());
  search = $state(new URLSearchParams(location.search));

  go(path: string, replace = false): void {
    const target = `/ui${path === '/' ? '' : path}`;
    if (replace) history.replaceState(null, '', target);
    else history.pushState(null, '', target);
    this.read();
    if (!replace) scrollTo(0, 0);
  }

  /** Changes the query only; nothing and '' take a parameter out. */
  setQuery(changes: Record<string, string | string[] | undefined>): void {
    const next = new URLSearchParams(this.search);
    for (const [name, value] of Object.entries(changes)) {
      next.delete(name);
      for (const one of Array.isArray(value) ? value : [value ?? '']) if (one !== '') next.append(name, one);
    }
    const text = next.toString();
    this.go(this.path + (text ? `?${text}` : ''), true);
  }

  read(): void {
    this.path = current();
    this.search = new URLSearchParams(location.search);
  }
}

function current(): string {
  const path = location.pathname.replace(/^\/ui/, '').replace(/\/+$/, '');
  return path === '' ? '/' : path;
}

export const router = new Router();
export const href = (path: string): string => `/ui${path === '/' ? '' : path}`;

addEventListener('popstate', () => router.read());

/** Links of the page change the page without loading it again; with a modifier key the browser does as ever. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest('a');
  if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
  if (!link.pathname.startsWith('/ui') || link.pathname.startsWith('/ui/assets')) return;
  if (link.hash !== '' && link.pathname === location.pathname) return;
  event.preventDefault();
  router.go(link.pathname.replace(/^\/ui/, '') + link.search || '/');
}
