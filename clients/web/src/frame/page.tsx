import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { LinkButton } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { openRequests } from './open-requests.ts';
import { useReturnToPlace } from './places.ts';
import './frame.css';

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
  useReturnToPlace(isReady);
  return (
    <main id="main" class="page" tabIndex={-1} data-ready={isReady || undefined}>
      <div class="stack-tight">
        {above}
        <div class="row page-header">
          <h1>{title}</h1>
          {badges}
          {actions && <div class="row end page-actions">{actions}</div>}
        </div>
      </div>
      {children}
    </main>
  );
}

let isFirstPage = true;

/**
 * Names the window after the page, with the number of open requests. After the first page, the focus moves to the new
 * one, as a browser does it: at once, so that it is not taken from what a key has focused since.
 */
export function useTitle(title: string): void {
  const isMounted = useRef(false);
  const waiting = openRequests.value;
  useLayoutEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · Agent Fleet`;
    if (isMounted.current) return;
    isMounted.current = true;
    if (!isFirstPage) document.getElementById('main')?.focus({ preventScroll: true });
    isFirstPage = false;
  }, [title, waiting]);
}

interface Crumb {
  label: string;
  href: string;
}

export function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav class="row small muted breadcrumb" aria-label="Breadcrumb">
      {crumbs.map(({ label, href }) => (
        <a key={href} href={href} class="quiet-link">
          {label}
        </a>
      ))}
    </nav>
  );
}

interface NotFoundProps {
  title?: string;
  /** Where to go on. */
  href: string;
  label: string;
}

/** For an address that leads nowhere. */
export function NotFound({ title = 'Page not found', href, label }: NotFoundProps) {
  return (
    <Page title={title} isReady>
      <EmptyState title="There is nothing at this address" actions={<LinkButton href={href}>{label}</LinkButton>}>
        It may have been deleted, or the link is wrong.
      </EmptyState>
    </Page>
  );
}

interface ValidPathProps {
  /** In the place of the pages, at an address whose path is not encoded well. */
  otherwise: ComponentChildren;
  children: ComponentChildren;
}

/** Around a router, which throws at such an address. */
export function ValidPath({ otherwise, children }: ValidPathProps) {
  const { path } = useLocation();
  return <>{isEncoded(path) ? children : otherwise}</>;
}

function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
