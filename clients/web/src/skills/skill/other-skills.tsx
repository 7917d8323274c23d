import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { Panel } from '../../components/panel.tsx';
import { compact } from '../../text/numbers.ts';
import { short } from '../../text/pieces.ts';
import { hrefWith } from '../search/list-query.ts';
import type { ListedSkill } from '../search/results.ts';
import type { Skill } from './records.ts';

const SHOWN = 6;
/** Of the search, which has skills of the very name first. */
const SEARCHED = 50;
const FIELDS = 'name,author,source,stars';
const MAX_PART = 60;

type Other = Pick<ListedSkill, 'id' | 'name' | 'author' | 'source' | 'stars'>;

/** Who else publishes a skill of this name, and what else is in its repository. */
export function OtherSkills({ skill }: { skill: Skill }) {
  const { data: namesakes = [] } = useQuery(`name ${skill.id}`, (signal) => readNamesakes(skill, signal));
  const { data: neighbours = [] } = useQuery(`repo ${skill.id}`, (signal) => readNeighbours(skill, signal));
  const { repo } = skill.source;
  return (
    <div class="stack skill-more">
      {namesakes.length > 0 && (
        <Panel title="Also published by" isFlush>
          <ul>
            {namesakes.slice(0, SHOWN).map((other) => (
              <OtherRow key={other.id} other={other} text={other.source.repo ?? other.author ?? other.id} />
            ))}
          </ul>
          {namesakes.length > SHOWN && (
            <a class="other other-more" href={hrefWith(new URLSearchParams(), { q: skill.name })}>
              Show all of this name
            </a>
          )}
        </Panel>
      )}
      {neighbours.length > 0 && repo && (
        <Panel title={`Also in ${short(repo, MAX_PART)}`} isFlush>
          <ul>
            {neighbours.slice(0, SHOWN).map((other) => (
              <OtherRow key={other.id} other={other} text={other.name} />
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}

function OtherRow({ other, text }: { other: Other; text: string }) {
  return (
    <li>
      <a class="other" href={`/skills/${encodeURIComponent(other.id)}`}>
        <span class="cut">{short(text, MAX_PART)}</span>
        {other.stars !== null && <span class="muted number">★ {compact(other.stars)}</span>}
      </a>
    </li>
  );
}

async function readNamesakes({ id, name }: Skill, signal: AbortSignal): Promise<Other[]> {
  const q = name.trim().slice(0, 256);
  if (q === '') return [];
  const found = await readOthers({ q, limit: SEARCHED }, signal);
  return found.filter((other) => other.id !== id && other.name.toLowerCase() === name.toLowerCase());
}

async function readNeighbours({ id, source: { repo } }: Skill, signal: AbortSignal): Promise<Other[]> {
  if (!repo) return [];
  const found = await readOthers({ repo, limit: SHOWN + 1, sort: 'trending' }, signal);
  return found.filter((other) => other.id !== id);
}

async function readOthers(
  query: { q?: string; repo?: string; limit: number; sort?: 'trending' },
  signal: AbortSignal,
): Promise<Other[]> {
  const { data } = await fleet.get('/api/skills', { params: { query: { ...query, fields: FIELDS } }, signal });
  return data as Other[];
}
