import { useEffect, useRef, useState } from 'preact/hooks';
import { agentLabel, useAgentNames } from '../../agents/agent-names.ts';
import { useGet } from '../../api/use-get.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { type Column, timeColumn } from '../../components/table.tsx';
import { RequestCard } from '../../conversations/request-card.tsx';
import { useAddress } from '../../frame/address.ts';
import { changesRequests, type InputRequest, requestHref } from '../../frame/open-requests.ts';
import { Page } from '../../frame/page.tsx';
import { isTyping } from '../../frame/shortcuts.tsx';
import { ListPart } from '../../list/list-part.tsx';
import { useList } from '../../list/use-list.ts';
import { toPageQuery } from '../../requests/access.ts';
import { firstLine, taskHref } from '../../tasks/task-cells.tsx';
import { plural } from '../../text/numbers.ts';
import { short } from '../../text/pieces.ts';
import './inbox.css';

type RequestKey = Pick<InputRequest, 'agent_id' | 'task_id' | 'id'>;

const MAX_TITLE = 120;
const COLUMNS: Column<InputRequest>[] = [
  {
    title: 'Request',
    isMain: true,
    href: requestHref,
    cell: ({ title, tool }) =>
      short(tool && !title.startsWith(tool.name) ? `${tool.name}: ${title}` : title, MAX_TITLE),
  },
  timeColumn('Asked', ({ created_at }) => created_at, { isNumber: true }),
];

/** What tasks ask, oldest first, and one of it in full: the one that the address names, else the oldest. */
export function InboxPage() {
  const { query, set } = useAddress();
  const list = useList('/input-requests', toPageQuery(query), { reloadOn: changesRequests });
  const answered = useRef(new Set<string>());
  const rows = list.data?.rows.filter(({ id }) => !answered.current.has(id));
  const oldest = useRef<RequestKey>(undefined);
  oldest.current ??= rows?.[0];
  const [agent_id = '', task_id = '', id] = query.get('request')?.split('/') ?? [];
  const shown = id === undefined ? oldest.current : { agent_id, task_id, id };
  const { request, error, reload } = useRequest(shown, rows);
  const task = useGet('/agents/{agent_id}/tasks/{task_id}', request ? { path: toTask(request) } : null);
  const agent = useAgentNames(request ? [request.agent_id] : []).get(request?.agent_id ?? '');
  const goOn = () => {
    const at = rows?.findIndex((row) => row.id === shown?.id) ?? -1;
    const next = rows?.[at + 1] ?? rows?.find((row) => row.id !== shown?.id);
    if (shown) answered.current.add(shown.id);
    oldest.current = next;
    set({ request: undefined }, true);
    list.reload();
  };
  useKeys((href) => set({ request: new URL(href).searchParams.get('request') ?? undefined }, true));

  return (
    <Page
      title="Inbox"
      isReady={rows !== undefined || list.error !== undefined}
      badges={list.data && <span class="muted number">{plural(list.data.total ?? 0, 'open request')}</span>}
      actions={<NotifyButton />}
    >
      {error !== undefined && <ErrorNotice title="This request could not be loaded" error={error} onRetry={reload} />}
      <div class="inbox">
        {request && (
          <div class="stack">
            <RequestCard key={request.id} request={request} hasKeys onChange={(isOwn) => (isOwn ? goOn() : reload())}>
              <a href={`/console/agents/${request.agent_id}`}>{agentLabel(request.agent_id, agent)}</a>
              <a class="cut" href={taskHref({ agent_id: request.agent_id, id: request.task_id })}>
                {task.data?.id === request.task_id ? short(firstLine(task.data.message), MAX_TITLE) : 'Task'}
              </a>
            </RequestCard>
            {request.state !== 'open' && rows && rows.length > 0 && <Button onClick={goOn}>Next request</Button>}
          </div>
        )}
        <div class="stack">
          <ListPart
            what="requests"
            label="Open requests"
            list={{ ...list, data: list.data && rows && { ...list.data, rows } }}
            columns={COLUMNS}
            rowKey={(row) => row.id}
            rowClass={(row) => (row.id === shown?.id ? 'is-selected' : undefined)}
            empty={<EmptyState title="Nothing waits for you">What agents ask is here.</EmptyState>}
            pager={{ limit: toPageQuery(query).limit }}
          />
        </div>
      </div>
    </Page>
  );
}

const toTask = ({ agent_id, task_id }: RequestKey) => ({ agent_id, task_id });

/** The request as it is now; until it has been read, as the list has it. */
function useRequest(shown: RequestKey | undefined, rows: readonly InputRequest[] | undefined) {
  const path = shown && { ...toTask(shown), request_id: shown.id };
  const { data, error, reload } = useGet(
    '/agents/{agent_id}/tasks/{task_id}/input-requests/{request_id}',
    path ? { path } : null,
    { reloadOn: ({ task_id, type }) => task_id === shown?.task_id && type !== 'task.progress' },
  );
  const request = data?.id === shown?.id ? data : rows?.find((row) => row.id === shown?.id);
  return { request, error, reload };
}

/** `a` and `d` press the buttons that have these keys; a button that is not in sight comes into sight first. */
function useKeys(open: (href: string) => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const onKeyDown = ({ key, repeat, ctrlKey, metaKey, altKey, target }: KeyboardEvent) => {
      if (repeat || ctrlKey || metaKey || altKey || isTyping(target) || document.querySelector('dialog[open]')) return;
      // The keys of all lists have moved the focus.
      const row = document.activeElement?.closest<HTMLAnchorElement>('a[data-row]');
      if (row && /^(j|k|ArrowDown|ArrowUp)$/.test(key)) latest.current(row.href);
      const button = document.querySelector<HTMLElement>(`[data-answer-key="${CSS.escape(key)}"]`);
      const { top = 0, bottom = 0 } = button?.getBoundingClientRect() ?? {};
      if (top < 0 || bottom > innerHeight) button?.scrollIntoView({ block: 'end' });
      else button?.click();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Asks the browser only when it is pressed. */
function NotifyButton() {
  const [permission, setPermission] = useState(globalThis.Notification?.permission);
  if (permission !== 'default') return null;
  return <Button onClick={() => void Notification.requestPermission().then(setPermission)}>Notify me</Button>;
}
