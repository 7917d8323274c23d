import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso/router';
import { live } from '../api/live.ts';
import { session, signOut } from '../api/session.ts';
import { Menu, MenuItem } from '../components/menu.tsx';
import { explain } from '../components/notice.tsx';
import { toast } from '../components/toast.tsx';
import { compact } from '../text/numbers.ts';
import { safeText } from '../text/safe-text.ts';
import { ConsoleKeys, LINKS, openPalette } from './console-keys.tsx';
import { Header } from './header.tsx';
import { openRequests, useOpenRequests } from './open-requests.ts';
import './console-frame.css';

const STATES = {
  off: 'Not live',
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
} as const;

/** Header and navigation around the pages of the console. */
export function ConsoleFrame({ children }: { children: ComponentChildren }) {
  return (
    <>
      <Header>
        <LiveIndicator />
        <a href="/guide" class="header-link wide-only">
          Guide
        </a>
        <a href="/docs" class="header-link wide-only">
          API
        </a>
        <UserMenu />
      </Header>
      <ConsoleKeys />
      <Navigation />
      {children}
    </>
  );
}

const INBOX = '/console/inbox';

function Navigation() {
  const { path } = useLocation();
  const current = partOf(path);
  useOpenRequests();
  return (
    <nav class="console-nav" aria-label="Console">
      <ul>
        {LINKS.map(([href, label]) => (
          <li key={href}>
            <a href={href} aria-current={href === current ? 'page' : undefined}>
              {label}
              {href === INBOX && openRequests.value > 0 && (
                <span class="nav-count number" title="Open requests">
                  {compact(openRequests.value)}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The link that is current on a page: for a task, whose address is below its agent, that of the tasks. */
function partOf(path: string): string {
  if (/^\/console\/agents\/[^/]+\/tasks\//.test(path)) return '/console/tasks';
  return path.split('/').slice(0, 3).join('/');
}

/** Whether changes are shown as they happen. */
function LiveIndicator() {
  const state = live.state.value;
  return (
    <span class={`row small muted live-state live-state-${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {STATES[state]}
    </span>
  );
}

function UserMenu() {
  const user = safeText(session.value?.user ?? '');
  const leave = () => signOut().catch((error: unknown) => toast(`Not signed out: ${explain(error)}`, 'error'));
  return (
    <Menu label={<span class="user-name">{user}</span>} name={`Account of ${user}`}>
      <a class="menu-item" href="/console/access/account">
        Account
      </a>
      <MenuItem onSelect={() => void openPalette()}>Go to … (Ctrl K)</MenuItem>
      <MenuItem onSelect={() => void leave()}>Sign out</MenuItem>
    </Menu>
  );
}

/** Says so when the role of the signed-in user has changed: buttons come and go with it. */
export function announceRole(): void {
  let before = session.peek();
  session.subscribe((current) => {
    if (before && current?.user === before.user && current.role !== before.role) {
      toast(`Your role is now ${current.role}.`);
    }
    before = current;
  });
}
