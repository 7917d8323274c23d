import { useEffect } from 'preact/hooks';
import type { Scope } from '../../api/session.ts';
import type { Query } from '../../api/use-query.ts';

export type PartName = 'users' | 'keys' | 'sessions' | 'audit' | 'account';

interface Part {
  name: PartName;
  label: string;
  href: string;
  /** Without it, the part is not shown. */
  scope?: Scope;
}

/** The parts of the page, each with an address of its own. */
export const PARTS: readonly Part[] = [
  { name: 'users', label: 'Users', href: '/console/access', scope: 'users:admin' },
  { name: 'keys', label: 'API keys', href: '/console/access/keys' },
  { name: 'sessions', label: 'Sessions', href: '/console/access/sessions' },
  { name: 'audit', label: 'Audit', href: '/console/access/audit', scope: 'audit:read' },
  { name: 'account', label: 'Account', href: '/console/access/account' },
];

/** What a part gets from the page. */
export interface PartProps {
  /** To be called when its main content is there. */
  onReady: () => void;
}

/** Tells the page when the list is there, or why not. */
export function useReady({ data, error }: Query<unknown>, onReady: () => void): void {
  const isReady = data !== undefined || error !== undefined;
  useEffect(() => {
    if (isReady) onReady();
  }, [isReady, onReady]);
}
