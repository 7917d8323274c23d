import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { LinkButton } from '../../components/button.tsx';
import { explain } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { RECENT_QUERY } from '../../requests/first-requests.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';

interface Recent {
  id: string;
  name?: string;
  author?: string | null;
  updated_at?: string | null;
}

const RELOAD_MS = 120_000;

/** The skills that were updated last, as their sources date them. */
export function RecentPanel() {
  const { data, error } = useQuery('recent skills', readRecent, { everyMs: RELOAD_MS });
  return (
    <Panel
      title="Recently updated"
      isFlush
      actions={
        <LinkButton isSmall href="/?sort=updated">
          All skills
        </LinkButton>
      }
    >
      <ul>
        {data?.map(({ id, name, author, updated_at }) => (
          <li key={id} class="registry-row">
            <a class="grow cut quiet-link" href={`/skills/${encodeURIComponent(id)}`}>
              {safeLine(name ?? id)} <span class="muted small">{safeLine(author ?? '')}</span>
            </a>
            <span class="muted small nowrap">{updated_at && <RelativeTime at={updated_at} />}</span>
          </li>
        ))}
        {!data &&
          error === undefined &&
          Array.from({ length: RECENT_QUERY.limit }, (_, at) => (
            <li key={at} class="registry-row">
              <Skeleton />
            </li>
          ))}
        {!data && error !== undefined && <li class="registry-row">{explain(error)}</li>}
        {data?.length === 0 && <li class="registry-row muted">No source dates its skills.</li>}
      </ul>
    </Panel>
  );
}

/** Those without a date come last. */
async function readRecent(signal: AbortSignal): Promise<Recent[]> {
  const { data } = await fleet.get('/api/skills', { params: { query: RECENT_QUERY }, signal });
  return (data as Recent[]).filter(({ updated_at }) => updated_at);
}
