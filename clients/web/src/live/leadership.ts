const LOCK = 'fleet-events';

interface Handlers {
  onLead: () => void;
  /** Another tab has taken the lead because this one did not respond. */
  onLose: () => void;
}

/**
 * Makes one tab of the browser the leader: the one that holds a Web Lock. The browser passes the lock on as soon as the
 * tab is closed or crashes.
 */
export function joinElection({ onLead, onLose }: Handlers) {
  let isLeader = false;
  const left = Promise.withResolvers<void>();
  let waiting = new AbortController();
  let isTakingOver = false;
  let isOver = false;

  function request(options: LockOptions): void {
    const onGranted = async () => {
      if (isOver) return;
      isLeader = true;
      isTakingOver = false;
      onLead();
      await left.promise;
    };
    navigator.locks.request(LOCK, options, onGranted).catch(() => {
      if (isOver || !isLeader) return;
      isLeader = false;
      onLose();
      queue();
    });
  }

  function queue(): void {
    waiting = new AbortController();
    request({ signal: waiting.signal });
  }

  queue();
  return {
    /** Takes the lead from a tab that does not respond. */
    takeOver(): void {
      if (isLeader || isTakingOver || isOver) return;
      isTakingOver = true;
      waiting.abort();
      request({ steal: true });
    },

    leave(): void {
      isOver = true;
      isLeader = false;
      waiting.abort();
      left.resolve();
    },
  };
}
