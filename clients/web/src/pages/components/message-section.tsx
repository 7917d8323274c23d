import { FleetError, FleetUnavailableError } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Dialog, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { toast } from '../../components/toast.tsx';
import { Sample, Section } from './section.tsx';

const ERRORS: [title: string, error: unknown][] = [
  ['Not there', new FleetError('404: Agent not found', { status: 404, requestId: '5c2f1c9e-2b70-4d9a-9a51' })],
  ['Too many requests', new FleetError('429: rate limited', { status: 429, retryAfterSeconds: 12 })],
  [
    'A missing scope',
    new FleetError('403: This needs the scope tasks:write', {
      status: 403,
      body: { details: { required: 'tasks:write' } },
    }),
  ],
  ['A part is away', new FleetUnavailableError('503: status 503', { status: 503 })],
  ['No connection', new FleetUnavailableError('fetch failed')],
];

export function MessageSection() {
  return (
    <Section title="Messages">
      <Notice tone="info" title="Your session has ended">
        Sign in again to go on where you were.
      </Notice>
      <Notice tone="warn" title="Somebody else has changed it" actions={<Button isSmall>Load their version</Button>} />
      {ERRORS.map(([title, error]) => (
        <ErrorNotice key={title} title={title} error={error} onRetry={() => toast('Tried again.')} />
      ))}
      <Sample label="Toasts">
        <div class="row">
          <Button onClick={() => toast('Build worker is revoked.')}>Show what was done</Button>
          <Button onClick={() => toast('Not revoked: the fleet does not respond.', 'error')}>Show what failed</Button>
        </div>
      </Sample>
    </Section>
  );
}

type Open = 'plain' | 'form' | 'danger' | 'sticky';

const DIALOGS: [name: Open, label: string][] = [
  ['plain', 'Dialog'],
  ['form', 'Form'],
  ['danger', 'Question'],
  ['sticky', 'Shown once'],
];

export function OverlaySection() {
  const [open, setOpen] = useState<Open>();
  return (
    <Section title="Dialogs and menus">
      <div class="row">
        {DIALOGS.map(([name, label]) => (
          <Button key={name} onClick={() => setOpen(name)}>
            {label}
          </Button>
        ))}
        <Menu label="Menu">
          <MenuItem onSelect={() => toast('Edit')}>Edit…</MenuItem>
          <MenuItem onSelect={() => toast('Pause')} disabled>
            Pause…
          </MenuItem>
          <a class="menu-item" href="#agents">
            Agents
          </a>
          <MenuItem onSelect={() => toast('Delete')} isDangerous>
            Delete…
          </MenuItem>
        </Menu>
      </div>
      {open && <SampleDialog kind={open} onClose={() => setOpen(undefined)} />}
    </Section>
  );
}

function SampleDialog({ kind, onClose }: { kind: Open; onClose: () => void }) {
  const [name, setName] = useState('');
  if (kind === 'form') {
    const refuse = () => Promise.reject(new FleetError('409: Another user has this e-mail address', { status: 409 }));
    return (
      <FormDialog title="Create user" action="Create user" onSubmit={refuse} onClose={onClose}>
        <TextField label="E-mail" required autofocus value={name} onInput={setName} />
        <p class="small muted">It is refused, to show how that looks.</p>
      </FormDialog>
    );
  }
  if (kind === 'danger') {
    return (
      <FormDialog title="Delete agent" action="Delete agent" isDangerous onSubmit={async () => {}} onClose={onClose}>
        <p>12 tasks are deleted with it. This cannot be undone.</p>
      </FormDialog>
    );
  }
  return (
    <Dialog title="A dialog" isSticky={kind === 'sticky'} onClose={onClose}>
      <div class="stack">
        <p>{kind === 'sticky' ? 'Escape does not close it.' : 'Escape closes it, and the focus goes back.'}</p>
        {kind === 'sticky' && (
          <div class="row dialog-actions">
            <Button kind="primary" onClick={onClose}>
              I have stored it
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}
