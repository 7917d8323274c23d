import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { compact, count, plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';

interface Summary {
  skills: number;
  registries: number;
  checkedAt: string | null;
}

let known: Summary | undefined;

/** How many skills there are, and from where. It waits for the list, which is more urgent. */
export function RegistryLine({ isListLoaded }: { isListLoaded: boolean }) {
  const { data: summary } = useQuery(isListLoaded ? 'status' : null, readSummary, { known });
  if (!summary) return <p class="hero-line">&nbsp;</p>;
  const { skills, registries, checkedAt } = summary;
  return (
    <p class="hero-line">
      <strong class="number" title={count(skills)}>
        {compact(skills)}
      </strong>{' '}
      skills from {plural(registries, 'registry', 'registries')}
      {checkedAt && (
        <span class="wide-only">
          , checked <RelativeTime at={checkedAt} />
        </span>
      )}
    </p>
  );
}

async function readSummary(signal: AbortSignal): Promise<Summary> {
  const { data } = await fleet.get('/api/registry/status', { signal, retries: 0 });
  const { counts, sources, checked_at: checkedAt } = data;
  known = { skills: counts.skills, registries: sources.length, checkedAt };
  return known;
}
