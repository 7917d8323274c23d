import { useState } from 'preact/hooks';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { CommandLine, CopyButton } from '../../components/copy.tsx';
import { Sample, Section } from './section.tsx';

const KINDS = ['primary', 'plain', 'danger', 'quiet'] as const;
const STATUSES = ['pending', 'scheduled', 'running', 'completed', 'failed', 'cancelled'];
const AGENT_STATUSES = ['idle', 'active', 'error', 'offline', 'paused'];
const TONES = ['ok', 'warn', 'error', 'info', 'neutral'] as const;

export function ButtonSection() {
  return (
    <Section title="Buttons">
      {KINDS.map((kind) => (
        <Sample key={kind} label={kind}>
          <div class="row">
            <Button kind={kind}>Create task</Button>
            <Button kind={kind} isSmall>
              Small
            </Button>
            <Button kind={kind} disabled>
              Disabled
            </Button>
            <Button kind={kind} isBusy>
              Busy
            </Button>
            <LinkButton kind={kind} href="#buttons">
              A link
            </LinkButton>
          </div>
        </Sample>
      ))}
      <Sample label="What copies">
        <CommandLine command="npx fleet tasks add my-agent 'Say hello' --wait" label="the command" />
        <span>
          <CopyButton text="01a21448" what="the id" />
        </span>
      </Sample>
    </Section>
  );
}

export function BadgeSection() {
  const [chips, setChips] = useState(['type: claude', 'worker: builder-1', `tag: ${'a-long-tag-'.repeat(12)}`]);
  return (
    <Section title="Badges and chips">
      <Sample label="Tasks">
        <div class="row">
          {STATUSES.map((status) => (
            <StatusBadge key={status} status={status} />
          ))}
        </div>
      </Sample>
      <Sample label="Agents">
        <div class="row">
          {AGENT_STATUSES.map((status) => (
            <StatusBadge key={status} status={status} />
          ))}
        </div>
      </Sample>
      <Sample label="Others">
        <div class="row">
          {TONES.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
        </div>
      </Sample>
      <Sample label="Chips">
        <div class="row">
          {chips.map((chip) => (
            <Chip key={chip} name={`filter ${chip}`} onRemove={() => setChips(chips.filter((other) => other !== chip))}>
              {chip}
            </Chip>
          ))}
          {chips.length === 0 && <Button onClick={() => setChips(['type: claude'])}>Set a filter</Button>}
        </div>
      </Sample>
    </Section>
  );
}
