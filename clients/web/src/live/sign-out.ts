/** `expired`: the session ended by itself or was revoked; `signed-out`: somebody signed out in another tab. */
export type SignOutReason = 'expired' | 'signed-out';

const CHANNEL = 'fleet-sign-out';

/** Tells the other tabs that the session is over. */
export function announceSignOut(reason: SignOutReason = 'signed-out'): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(reason);
  channel.close();
}

/** Calls a function when another tab says that the session is over. Returns a function that unsubscribes. */
export function onSignOut(listener: (reason: SignOutReason) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<SignOutReason>) => listener(data);
  return () => channel.close();
}
