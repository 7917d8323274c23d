import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  title: string;
  /** What stands above the title, such as a breadcrumb. */
  above?: ComponentChildren;
  /** Beside the title. */
  badges?: ComponentChildren;
  actions?: ComponentChildren;
  /** Whether the main content has been loaded. */
  isReady: boolean;
  children: ComponentChildren;
}

/** A page with its heading. Its title is also that of the window; screen readers begin at the heading. */
export function Page({ title, above, badges, actions, isReady, children }: PageProps) {
  useTitle(title);
  return (
    <main id="main" class="page" tabIndex={-1} data-ready={isReady || undefined}>
      <div class="stack-tight">
        {above}
        <div class="page-header">
          <h1>{title}</h1>
          {badges}
          {actions && <div class="page-actions">{actions}</div>}
        </div>
      </div>
      {children}
    </main>
  );
}

let isFirstPage = true;

/** Names the window after the page. After the first page, the focus moves to the new one, as a browser does it. */
export function useTitle(title: string): void {
  const isMounted = useRef(false);
  useEffect(() => {
    document.title = `${title} · Agent Fleet`;
    if (isMounted.current) return;
    isMounted.current = true;
    if (!isFirstPage) document.getElementById('main')?.focus({ preventScroll: true });
    isFirstPage = false;
  }, [title]);
}

export interface Crumb {
  label: string;
  href: string;
}

export function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav class="breadcrumb" aria-label="Breadcrumb">
      {crumbs.map(({ label, href }) => (
        <a key={href} href={href}>
          {label}
        </a>
      ))}
    </nav>
  );
}
