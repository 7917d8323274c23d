import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { findAgentId, findTask } from '../lookup.ts';

const PAGES = ['agents', 'tasks', 'workers', 'activity', 'access'];

/** Prints the address of a page, and opens it where people look at the output and there is a browser. */
async function open(context: Context, ref: string | undefined): Promise<void> {
  const { out, env, connection } = context;
  const url = connection().url.replace(/\/+$/, '') + (await pathOf(context, ref));
  out.record({ url }, () => [url]);
  const isMac = process.platform === 'darwin';
  const hasScreen = isMac || env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER;
  if (!hasScreen || out.width === undefined || out.isJson || out.isQuiet) return;
  // Whoever has no browser has the address.
  const opener = spawn(isMac ? 'open' : 'xdg-open', [url], { detached: true, stdio: 'ignore' });
  opener.on('error', () => {}).unref();
}

async function pathOf(context: Context, ref = ''): Promise<string> {
  if (ref === 'guide') return '/guide';
  if (ref === '' || PAGES.includes(ref)) return `/console/${ref}`;
  const task = await findTask(context, ref).catch((error) => {
    if (error.code !== 'not_found' || ref.includes('/')) throw error;
  });
  if (task) return `/console/agents/${task.agentId}/tasks/${task.taskId}`;
  return `/console/agents/${await findAgentId(context, ref)}`;
}

export function registerOpen(command: Command, act: Act): void {
  command.argument('[what]', `an agent, a task, guide, or ${PAGES.join(', ')}`).action(act(open));
}
