import type { components } from '@agent-fleet/sdk';
import { signal } from '@preact/signals';
import { forgetEarlyResponses, SIGNED_IN_ITEM } from './early-responses.ts';
import { fleet, whenRefused } from './fleet.ts';
import { keepItem } from './keep-item.ts';
import { live } from './live.ts';

type Session = components['schemas']['CurrentSession'];
export type Scope = Session['scopes'][number];

/** Undefined until it has been read, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** Whether the session ended by itself or in another tab, which the sign-in form explains. */
export const hasExpired = signal(false);

/** Whether the signed-in user may do what needs this scope. */
export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) === true;
}

/** @throws FleetError */
export async function readSession(): Promise<void> {
  const before = session.peek();
  const { data } = await fleet.get('/session', { params: { query: { optional: true } } });
  // Unless somebody has signed in or out meanwhile.
  if (session.peek() !== before) return;
  if (before && !data) endSession();
  else setSession(data);
}

/** @throws FleetError 401 for a wrong pair, 429 after too many */
export async function signIn(username: string, password: string): Promise<void> {
  await fleet.post('/session', { body: { username, password } });
  await readSession();
}

/** Somebody signs out: what the page asks meanwhile may be refused, and the session has not ended by itself. */
let isLeaving = false;

/** Also in the other tabs. @throws FleetError */
export async function signOut(): Promise<void> {
  isLeaving = true;
  try {
    await fleet.delete('/session');
    setSession(null);
  } finally {
    isLeaving = false;
  }
}

whenRefused((status) => {
  if (!session.peek()) return;
  // The sign-in form is shown in the place of the page.
  if (status === 401) endSession();
  // The role may have changed, and with it what the page offers.
  else readSession().catch(() => undefined);
});

// Somebody has signed in or out in another tab.
addEventListener('storage', ({ key, newValue }) => {
  if (key !== SIGNED_IN_ITEM) return;
  if (newValue === null && session.peek()) endSession();
  else if (newValue !== null && session.peek() === null) readSession().catch(() => undefined);
});

function endSession(): void {
  hasExpired.value = !isLeaving;
  setSession(null);
}

function setSession(value: Session | null): void {
  session.value = value;
  if (value) {
    hasExpired.value = false;
    keepItem(SIGNED_IN_ITEM, value.role ?? '');
  } else {
    localStorage.removeItem(SIGNED_IN_ITEM);
    forgetEarlyResponses();
  }
  if (may('events:read')) live.start();
  else live.stop();
}

/** Calls `reset` when the session ends or another user signs in: nobody sees what was loaded for the user before. */
export function resetForUser(reset: () => void): void {
  let user = session.peek()?.user;
  session.subscribe((current) => {
    if (current?.user === user) return;
    user = current?.user;
    reset();
  });
}
