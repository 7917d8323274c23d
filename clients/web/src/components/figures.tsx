import { count } from '../text/numbers.ts';
import type { Tone } from '../text/statuses.ts';
import { Skeleton } from './skeleton.tsx';
import './styles/figures.css';

export interface Figure {
  label: string;
  /** Undefined while it is on its way. */
  value: number | undefined;
  /** Of the list that it counts. */
  href?: string;
  tone?: Tone;
}

/** Numbers, some of which lead to the lists that they count. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <ul class="figures">
      {figures.map(({ label, value, href, tone }) => {
        const Element = href ? 'a' : 'div';
        return (
          <li key={href ?? label}>
            <Element href={href} class="figure" data-zero={value === 0 || undefined}>
              <span class="figure-label">
                {tone && <span class="dot" data-tone={tone} aria-hidden="true" />}
                {label}
              </span>{' '}
              <span class="figure-value">{value === undefined ? <Skeleton width="3ch" /> : count(value)}</span>
            </Element>
          </li>
        );
      })}
    </ul>
  );
}
