import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { count } from '../../text/numbers.ts';
import { ResultRow } from './result-row.tsx';
import { MAX_ROWS, type Results } from './results.ts';
import type { NextPage } from './use-results.ts';

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
