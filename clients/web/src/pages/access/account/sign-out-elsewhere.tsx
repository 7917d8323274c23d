import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { session } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import { EndSessionsDialog } from '../sessions/end-sessions-dialog.tsx';
import { isThisSession } from '../sessions/own-session.ts';

/** Ends all sessions of the user but this one, after a question with their number. */
export function SignOutElsewhere() {
  const [ids, setIds] = useState<readonly string[]>();

  async function look(): Promise<void> {
    try {
      const { data } = await fleet.get('/sessions', { params: { query: { limit: 100 } } });
      const others = data.filter((one) => !isThisSession(one, session.value?.expires_at));
      if (others.length === 0) toast('You are not signed in anywhere else.');
      else setIds(others.map(({ id }) => id));
    } catch (error) {
      toast(`The sessions could not be loaded: ${explain(error)}`, 'error');
    }
  }

  return (
    <>
      <Button onClick={() => void look()}>Sign out everywhere else…</Button>
      {ids && <EndSessionsDialog ids={ids} onEnded={() => {}} onClose={() => setIds(undefined)} />}
    </>
  );
}
