import type { ComponentChildren } from 'preact';
import { statusWord, type Tone, toneOf } from '../text/statuses.ts';
import './styles/badge.css';

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

interface DotBadgeProps {
  tone: Tone;
  /** Whether something is going on. */
  isLive?: boolean;
  children: ComponentChildren;
}

/** A dot in a colour, and a word. */
export function DotBadge({ tone, isLive, children }: DotBadgeProps) {
  return (
    <Badge tone={tone}>
      <span class={`dot${isLive ? ' dot-live' : ''}`} aria-hidden="true" />
      {children}
    </Badge>
  );
}

/** The status of a task or an agent. */
export function StatusBadge({ status }: { status: string }) {
  return (
    <DotBadge tone={toneOf(status)} isLive={status === 'running' || status === 'active'}>
      {statusWord(status)}
    </DotBadge>
  );
}
