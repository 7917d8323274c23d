import { session } from '../api/session.ts';
import { toast } from '../components/toast.tsx';

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
