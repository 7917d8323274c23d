import { useEffect, useRef, useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { RowLink } from '../../components/table.tsx';
import { compact, count } from '../../text/numbers.ts';
import { short } from '../../text/pieces.ts';
import { hostOf } from '../skill/source-links.ts';
import { categoryLabel, KINDS } from './labels.ts';
import { FACETS, hrefWith, NO_FILTERS, wordsOf } from './list-query.ts';
import { type ListedSkill, MAX_ROWS, type NextPage, type Results } from './results.ts';

const LATE_MS = 150;

interface ResultListProps {
  results: Results;
  next: NextPage;
  isRanked: boolean;
}

export function ResultList({ results, next, isRanked }: ResultListProps) {
  const list = useRef<HTMLOListElement>(null);
  const { skills, total, cursor } = results;

  /** By keyboard, the focus goes on to the first new row. */
  async function showMore({ detail }: MouseEvent): Promise<void> {
    const hasMore = await next.load();
    if (hasMore && detail === 0)
      list.current?.children[skills.length]?.querySelector<HTMLElement>('[data-row]')?.focus();
  }

  return (
    <>
      <ol ref={list} class="skill-list">
        {skills.map((skill, index) => (
          <ResultRow key={skill.id} skill={skill} rank={isRanked ? index + 1 : undefined} />
        ))}
      </ol>
      {next.error !== undefined && <ErrorNotice title="More skills could not be loaded" error={next.error} />}
      {cursor && skills.length < MAX_ROWS && (
        <div class="more">
          <Button isBusy={next.isLoading} onClick={(event) => void showMore(event)}>
            Show more
          </Button>
          <p class="small muted number">
            {count(skills.length)} of {count(total)}
          </p>
        </div>
      )}
      {skills.length >= MAX_ROWS && total > MAX_ROWS && (
        <p class="more muted">These are the first {count(MAX_ROWS)}. Add a word or a filter to see others.</p>
      )}
    </>
  );
}

/** Placeholders for rows, shown only when loading takes longer than usual. */
export function ResultSkeleton({ rows }: { rows: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return null;
  return (
    <div class="skill-list" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="skill-row">
          <div class="skill-text">
            <Skeleton width="14rem" height="1.25rem" />
            <Skeleton height="2.5rem" />
            <Skeleton width="18rem" />
          </div>
        </div>
      ))}
    </div>
  );
}

const MAX_NAME = 120;
const MAX_DESCRIPTION = 320;
const MAX_PART = 60;

interface ResultRowProps {
  skill: ListedSkill;
  /** Its place in a ranking. */
  rank?: number;
}

function ResultRow({ skill, rank }: ResultRowProps) {
  const { id, name, description, kind, stars, downloads, valid } = skill;
  return (
    <li class="skill-row">
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
        <p class="row small muted skill-meta">
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

const MAX_WORDS = 80;

/** What to do when nothing matches. */
export function NoResults({ address }: { address: URLSearchParams }) {
  const words = wordsOf(address);
  const hasFilters = FACETS.some((name) => address.get(name));
  const title = words ? `No skills match “${short(words, MAX_WORDS)}”` : 'No skills match these filters';
  return (
    <EmptyState
      title={title}
      actions={
        <>
          {hasFilters && (
            <LinkButton kind="primary" href={hrefWith(address, NO_FILTERS)}>
              Remove the filters
            </LinkButton>
          )}
          <LinkButton href="/">Show all skills</LinkButton>
        </>
      }
    >
      {words ? 'Fewer or other words may help: say what the skill does, such as “review code”.' : 'Remove one of them.'}
    </EmptyState>
  );
}
