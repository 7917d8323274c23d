import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { count, plural } from '../text/numbers.ts';

/** How much of a long list is shown: `first` things, and ten times as many after each press of the button. */
export function useLimit(first: number, total: number, what: string): { limit: number; more: ComponentChildren } {
  const [limit, setLimit] = useState(first);
  const next = limit * 10;
  const more = limit < total && (
    <div class="patch-more">
      <Button isSmall onClick={() => setLimit(next)}>
        {next < total ? `Show ${count(next)} of ${plural(total, what)}` : `Show all ${plural(total, what)}`}
      </Button>
    </div>
  );
  return { limit, more };
}
