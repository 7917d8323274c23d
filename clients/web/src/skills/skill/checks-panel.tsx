import { Panel } from '../../components/panel.tsx';
import type { Skill } from './records.ts';
import { type Check, checksOf } from './skill-checks.ts';
import type { SkillFile } from './skill-file.ts';

const SIGNS: Record<Check['tone'], [sign: string, meaning: string]> = {
  ok: ['✓', 'Good'],
  warn: ['!', 'Warning'],
  error: ['✕', 'Wrong'],
  neutral: ['–', 'Note'],
};

interface ChecksPanelProps {
  skill: Skill;
  file: SkillFile | undefined;
}

export function ChecksPanel({ skill, file }: ChecksPanelProps) {
  return (
    <Panel title="Checks">
      <ul class="checks">
        {checksOf(skill, file).map(({ tone, text }) => (
          <li key={text} class="check">
            <span class={`check-sign check-${tone}`} aria-hidden="true">
              {SIGNS[tone][0]}
            </span>
            <span>
              <span class="visually-hidden">{SIGNS[tone][1]}: </span>
              {text}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
