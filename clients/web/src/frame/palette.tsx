import { useLocation } from 'preact-iso/router';
import { fleet } from '../api/fleet.ts';
import { PREFIX } from '../api/prefix.ts';
import { type Choice, Combobox } from '../components/combobox.tsx';
import { Dialog } from '../components/dialog.tsx';

const FOUND = 6;

/** Goes to a page, an action, an agent or a task by its name. The keys of its choices are addresses. */
export function Palette({ pages, onClose }: { pages: readonly Choice[]; onClose: () => void }) {
  const { route } = useLocation();
  const go = (href: string) => {
    onClose();
    if (href.startsWith('/console')) route(href);
    else location.assign(PREFIX + href);
  };
  const fixed = (words: string) => {
    const list = { key: `/console/tasks?${new URLSearchParams({ q: words })}`, label: `Search tasks for “${words}”` };
    const matching = pages.filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()));
    return words === '' ? pages : [...matching, list];
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Combobox label="Page, action, agent or task" fixed={fixed} search={search} onChoose={go} autofocus />
    </Dialog>
  );
}

async function search(q: string, signal: AbortSignal): Promise<Choice[]> {
  const found = { q, limit: FOUND };
  const [agents, tasks] = await Promise.all([
    fleet.get('/agents', { params: { query: { ...found, fields: 'name,type' } }, signal }),
    fleet.get('/tasks', { params: { query: { ...found, fields: 'agent_id,message,status' } }, signal }),
  ]);
  const toAgent = ({ id, name = '', type }: (typeof agents.data)[number]) => ({
    key: `/console/agents/${id}`,
    label: name,
    detail: `agent, ${type}`,
  });
  const toTask = ({ id, agent_id, message = '', status }: (typeof tasks.data)[number]) => ({
    key: `/console/agents/${agent_id}/tasks/${id}`,
    label: message.slice(0, 200),
    detail: `task, ${status}`,
  });
  return [...agents.data.map(toAgent), ...tasks.data.map(toTask)];
}
