import type { ComponentChildren, JSX } from 'preact';
import './styles/button.css';

type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet';

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'class' | 'size'> & {
  kind?: ButtonKind;
  isSmall?: boolean;
  /** While what it started has not ended: it cannot be pressed again, and keeps its size. */
  isBusy?: boolean;
  children: ComponentChildren;
};

export function Button({ kind = 'plain', isSmall, isBusy, disabled, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${kind}${isSmall ? ' button-small' : ''}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
    >
      {children}
    </button>
  );
}

interface LinkButtonProps {
  href: string;
  kind?: ButtonKind;
  isSmall?: boolean;
  children: ComponentChildren;
}

/** A link that looks like a button: for what leads to another page. */
export function LinkButton({ href, kind = 'plain', isSmall, children }: LinkButtonProps) {
  return (
    <a href={href} class={`button button-${kind}${isSmall ? ' button-small' : ''}`}>
      {children}
    </a>
  );
}
