import { Skeleton } from '../../components/skeleton.tsx';
import { count } from '../../text/numbers.ts';
import type { RegistryStatus } from './registry-status.ts';

interface Figure {
  label: string;
  toValue: (status: RegistryStatus) => number;
  /** Of a number that is not zero. */
  tone?: 'warn' | 'error';
}

const FIGURES: readonly Figure[] = [
  { label: 'Skills', toValue: ({ counts }) => counts.skills },
  { label: 'Categories', toValue: ({ counts }) => counts.categories },
  { label: 'Tags', toValue: ({ counts }) => counts.tags },
  { label: 'Sources', toValue: ({ sources }) => sources.length },
  { label: 'Rejected', toValue: ({ counts }) => counts.rejected, tone: 'error' },
  { label: 'Corrections', toValue: ({ counts }) => counts.warnings, tone: 'warn' },
];

export function RegistryFigures({ status }: { status: RegistryStatus | undefined }) {
  return (
    <dl class="figures registry-figures">
      {FIGURES.map(({ label, toValue, tone }) => {
        const value = status && toValue(status);
        return (
          <div key={label} class="figure" data-zero={value === 0 || undefined}>
            <dt class="figure-label">
              {tone && !!value && <span class={`dot figure-dot-${tone}`} aria-hidden="true" />}
              {label}
            </dt>
            <dd class="figure-value">{value === undefined ? <Skeleton width="3ch" /> : count(value)}</dd>
          </div>
        );
      })}
    </dl>
  );
}
