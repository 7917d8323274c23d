import { Badge } from '../../components/badge.tsx';
import { RowLink } from '../../components/table.tsx';
import { compact, count } from '../../text/numbers.ts';
import { short } from '../../text/pieces.ts';
import { preloadSkill } from '../skill/records.ts';
import { hostOf } from '../skill/source-links.ts';
import { categoryLabel, KINDS } from './labels.ts';
import type { ListedSkill } from './results.ts';

const MAX_NAME = 120;
const MAX_DESCRIPTION = 320;
const MAX_PART = 60;

interface ResultRowProps {
  skill: ListedSkill;
  /** Its place in a ranking. */
  rank?: number;
}

export function ResultRow({ skill, rank }: ResultRowProps) {
  const { id, name, description, kind, stars, downloads, valid } = skill;
  return (
    <li class="skill-row" onPointerEnter={() => preloadSkill(skill)} onFocusCapture={() => preloadSkill(skill)}>
      {rank !== undefined && (
        <span class="skill-rank" aria-hidden="true">
          {rank}
        </span>
      )}
      <div class="skill-text">
        <h3 class="skill-name">
          <RowLink href={`/skills/${encodeURIComponent(id)}`}>{short(name, MAX_NAME)}</RowLink>
          {kind !== 'skill' && <Badge tone="info">{KINDS[kind][0]}</Badge>}
        </h3>
        <p class="skill-description">{description ? short(description, MAX_DESCRIPTION) : 'No description.'}</p>
        <p class="skill-meta">
          {metaOf(skill).map((part, index) => (
            <span key={index}>{part}</span>
          ))}
          {!valid && <span class="skill-invalid">breaks the specification</span>}
        </p>
      </div>
      <Popularity stars={stars} downloads={downloads} />
    </li>
  );
}

function Popularity({ stars, downloads }: Pick<ListedSkill, 'stars' | 'downloads'>) {
  if (stars === null && downloads === null) return null;
  return (
    <p class="skill-numbers">
      {stars !== null && <Figure sign="★" value={stars} what="stars" />}
      {downloads !== null && <Figure sign="↓" value={downloads} what="downloads" />}
    </p>
  );
}

function Figure({ sign, value, what }: { sign: string; value: number; what: string }) {
  return (
    <span class="number nowrap" title={`${count(value)} ${what}`}>
      <span aria-hidden="true">{sign} </span>
      {compact(value)}
      <span class="visually-hidden"> {what}</span>
    </span>
  );
}

function metaOf({ source, author, license, category }: ListedSkill): string[] {
  const from = source.repo ?? author ?? hostOf(source.url);
  const parts = [from, category && categoryLabel(category), license];
  return parts
    .filter((part) => part !== null && part !== undefined && part !== '')
    .map((part) => short(part as string, MAX_PART));
}
