import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import './styles/menu.css';

interface MenuProps {
  /** The button's text. */
  label: ComponentChildren;
  /** The name of the button where its text is not enough. */
  name?: string;
  /** The label is a sign: without a border and an arrow, for rows of lists. */
  isIcon?: boolean;
  staysOpen?: boolean;
  children: ComponentChildren;
}

/** A button that opens a list of buttons and links below it. Choosing one closes it. */
export function Menu({ label, name, isIcon, staysOpen, children }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);

  /** Below the button, inside the window. */
  function place(): void {
    const at = button.current?.getBoundingClientRect();
    const box = popover.current;
    if (!at || !box) return;
    box.style.top = `${Math.min(at.bottom + 4, innerHeight - box.offsetHeight - 8)}px`;
    box.style.left = `${Math.max(8, Math.min(at.left, document.body.clientWidth - box.offsetWidth - 8))}px`;
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button ${isIcon ? 'button-quiet button-icon' : 'button-plain'}`}
        popovertarget={id}
        aria-label={name}
      >
        {label}
        {!isIcon && <span aria-hidden="true" class="menu-arrow" />}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: its buttons and links are what keys press. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same. */}
      <div
        ref={popover}
        id={id}
        popover="auto"
        class="menu"
        onBeforeToggle={(event) => setOpen(event.newState === 'open')}
        onToggle={place}
        onClick={({ target }) => {
          if (!staysOpen || (target as Element).closest('a')) popover.current?.hidePopover();
        }}
      >
        {isOpen && children}
      </div>
    </>
  );
}

/** What can be done with a row of a list. `name`: what the row is about. */
export function RowMenu({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <Menu isIcon label={<span aria-hidden="true">⋯</span>} name={`Actions for ${name}`}>
      {children}
    </Menu>
  );
}

interface MenuItemProps {
  onSelect: () => void;
  isDangerous?: boolean;
  disabled?: boolean;
  children: ComponentChildren;
}

export function MenuItem({ onSelect, isDangerous, disabled, children }: MenuItemProps) {
  return (
    <button
      type="button"
      class={`menu-item${isDangerous ? ' menu-item-danger' : ''}`}
      onClick={onSelect}
      disabled={disabled}
    >
      {children}
    </button>
  );
}
