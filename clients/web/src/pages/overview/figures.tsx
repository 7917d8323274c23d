import type { components } from '@agent-fleet/sdk';
import { Skeleton } from '../../components/skeleton.tsx';
import { count } from '../../text/numbers.ts';
import { capital } from '../../text/pieces.ts';
import '../../components/styles/figures.css';

type Stats = components['schemas']['Stats'];

interface Figure {
  label: string;
  href: string;
  toValue: (stats: Stats) => number;
  tone?: 'ok' | 'warn' | 'error' | 'info' | 'neutral';
}

const FIGURES: readonly Figure[] = [
  { label: 'Tasks', href: '/console/tasks', toValue: ({ tasks }) => tasks.total },
  ...(
    [
      ['pending', 'neutral'],
      ['running', 'info'],
      ['completed', 'ok'],
      ['failed', 'error'],
      ['cancelled', 'warn'],
    ] as const
  ).map(([status, tone]) => ({
    label: capital(status),
    href: `/console/tasks?status=${status}`,
    toValue: ({ tasks }: Stats) => tasks.by_status[status],
    tone,
  })),
  { label: 'Agents', href: '/console/agents', toValue: ({ agents }) => agents.total },
  ...(
    [
      ['active', 'info'],
      ['idle', 'neutral'],
      ['error', 'error'],
      ['offline', 'warn'],
    ] as const
  ).map(([status, tone]) => ({
    label: capital(status),
    href: `/console/agents?status=${status}`,
    toValue: ({ agents }: Stats) => agents.by_status[status],
    tone,
  })),
  { label: 'Workers', href: '/console/workers', toValue: ({ workers }) => workers },
];

/** What there is in the fleet, in numbers that lead to the lists. */
export function Figures({ stats }: { stats: Stats | undefined }) {
  return (
    <ul class="figures">
      {FIGURES.map(({ label, href, toValue, tone }) => {
        const value = stats && toValue(stats);
        return (
          <li key={href}>
            <a href={href} class="figure" data-zero={value === 0 || undefined}>
              <span class="figure-label">
                {tone && <span class={`dot figure-dot-${tone}`} aria-hidden="true" />}
                {label}
              </span>{' '}
              <span class="figure-value">{value === undefined ? <Skeleton width="3ch" /> : count(value)}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}
