import type { ComponentChildren } from 'preact';
import './styles/chip.css';

interface ChipProps {
  children: ComponentChildren;
  /** Completes "Remove …" for screen readers. */
  name: string;
  onRemove: () => void;
}

/** A filter that is set; it can be removed. */
export function Chip({ children, name, onRemove }: ChipProps) {
  return (
    <span class="chip">
      <span>{children}</span>
      <button type="button" class="chip-remove" aria-label={`Remove ${name}`} onClick={onRemove}>
        ✕
      </button>
    </span>
  );
}
