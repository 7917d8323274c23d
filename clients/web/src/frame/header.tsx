import type { ComponentChildren } from 'preact';
import './frame.css';

/** The bar at the top of every page. */
export function Header({ children }: { children: ComponentChildren }) {
  return (
    <header class="header">
      <a href="#main" class="skip-link visually-hidden">
        Skip to content
      </a>
      <div class="header-inner">
        <a href="/" class="brand">
          <BrandMark />
          Agent Fleet
        </a>
        <div class="header-links">{children}</div>
      </div>
    </header>
  );
}

function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--color-accent)" />
      <path d="M8 21.5 16 8l8 13.5-8-3.6z" fill="var(--color-on-accent)" />
    </svg>
  );
}
