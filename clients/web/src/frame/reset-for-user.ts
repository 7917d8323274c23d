import { session } from '../api/session.ts';

/** Calls `reset` when the session ends or another user signs in: nobody sees what was loaded for the user before. */
export function resetForUser(reset: () => void): void {
  let user = session.peek()?.user;
  session.subscribe((current) => {
    if (current?.user === user) return;
    user = current?.user;
    reset();
  });
}
