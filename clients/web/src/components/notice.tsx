import { FleetError, FleetUnavailableError } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import './styles/notice.css';

interface NoticeProps {
  tone: 'info' | 'warn' | 'error';
  title: string;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

export function Notice({ tone, title, children, actions }: NoticeProps) {
  return (
    <div class="row notice" data-tone={tone} role={tone === 'error' ? 'alert' : 'status'}>
      <div class="grow stack-tight">
        <p class="notice-title">{title}</p>
        {children && <div>{children}</div>}
      </div>
      {actions && <div class="row">{actions}</div>}
    </div>
  );
}

interface ErrorNoticeProps {
  /** What was tried, such as "The tasks could not be loaded". */
  title: string;
  error: unknown;
  onRetry?: () => void;
  actions?: ComponentChildren;
}

/** What failed, why, what to do next, and the id by which the logs know the request. */
export function ErrorNotice({ title, error, onRetry, actions }: ErrorNoticeProps) {
  const requestId = error instanceof FleetError ? error.requestId : undefined;
  return (
    <Notice
      tone="error"
      title={title}
      actions={
        <>
          {onRetry && <Button onClick={onRetry}>Try again</Button>}
          {actions}
        </>
      }
    >
      <p>{explain(error)}</p>
      {requestId && <p class="small muted mono">Request {requestId}</p>}
    </Notice>
  );
}

/** An error as a sentence for users. */
export function explain(error: unknown): string {
  if (!(error instanceof FleetError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 0) return 'The fleet does not respond. Check your connection, and that the fleet is running.';
  if (error instanceof FleetUnavailableError) return 'A part of the fleet is unavailable at the moment.';
  if (error.status === 429) return `Too many requests. Try again in ${error.retryAfterSeconds ?? 60} s.`;
  if (error.status === 403) return describeForbidden(error);
  if (error.status === 412) return 'Somebody else has changed it in the meantime. Reload it, then repeat your change.';
  return sentence(error.message.replace(/^\d{3}: /, ''));
}

function describeForbidden({ body, message }: FleetError): string {
  const required = (body as { details?: { required?: unknown } } | undefined)?.details?.required;
  if (typeof required === 'string') return `Your role does not allow this. It needs the scope ${required}.`;
  return sentence(message.replace(/^\d{3}: /, ''));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** Why the last submission of a form failed. */
export function FormError({ error }: { error: unknown }) {
  if (error === undefined) return null;
  return (
    <p class="field-error" role="alert">
      {explain(error)}
    </p>
  );
}
