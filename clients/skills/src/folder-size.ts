import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_ENTRIES = 2_000_000;
const CHECK_MS = 200;

/** Bytes of all files below a folder, links not followed. Files may vanish meanwhile. */
export async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  const waiting = [folder];
  for (let count = 0; waiting.length > 0 && count < MAX_ENTRIES; ) {
    const next = waiting.pop() as string;
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      count += 1;
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
    }
  }
  return bytes;
}

/** Aborts its signal when the folder grows over the limit, until `stop`. */
export function limitSize(folder: string, maxBytes: number, signal: AbortSignal) {
  const own = new AbortController();
  const check = async () => {
    if ((await sizeOf(folder)) > maxBytes) own.abort(new Error('the repository is too large'));
  };
  let isChecking = false;
  const timer = setInterval(async () => {
    if (isChecking) return;
    isChecking = true;
    await check();
    isChecking = false;
  }, CHECK_MS);
  return {
    signal: AbortSignal.any([signal, own.signal]),
    isOver: () => own.signal.aborted,
    /** @throws Error, the reason of the signal */
    async check() {
      await check();
      own.signal.throwIfAborted();
    },
    stop: () => clearInterval(timer),
  };
}
