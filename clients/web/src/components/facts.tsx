import type { ComponentChildren } from 'preact';
import './styles/facts.css';

export type Fact = [name: string, value: ComponentChildren];

/** Names and values, one below the other. Facts whose value is undefined or null are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
