import { FLEET_URL } from '../../api/prefix.ts';
import { CommandLine } from '../../components/copy.tsx';
import { LongText } from '../../components/long-text.tsx';
import { Panel } from '../../components/panel.tsx';
import { type InstallCommand, installCommands, isPlain, ownCommand } from './install-commands.ts';
import type { Skill } from './records.ts';

/** The commands that add the skill to a project. */
export function InstallPanel({ skill }: { skill: Skill }) {
  const commands = installCommands(skill, FLEET_URL);
  const own = ownCommand(skill, commands);
  return (
    <Panel title="Add it to your project">
      <div class="stack">
        {commands.map((command) => (
          <Command key={command.title} {...command} />
        ))}
        {own !== undefined && <OwnCommand command={own} />}
        {commands.length === 0 && own === undefined && (
          <p class="muted">Its source is unknown, so no tool can add it.</p>
        )}
        {commands.length > 0 && (
          <p class="small muted">A skill is instructions that an agent follows: read it before you add it.</p>
        )}
      </div>
    </Panel>
  );
}

function Command({ title, command, hint }: InstallCommand) {
  return (
    <div class="stack install">
      <span class="install-title">{title}</span>
      <CommandLine command={command} label={`the command for ${title}`} />
      {hint && <span class="install-hint small muted">{hint}</span>}
    </div>
  );
}

/** It can be copied only if all of it can be seen. */
function OwnCommand({ command }: { command: string }) {
  return (
    <div class="stack install">
      <span class="install-title">From the registry</span>
      {isPlain(command) ? (
        <CommandLine command={command} label="the command from the registry" />
      ) : (
        <LongText text={command} isMono />
      )}
      <span class="install-hint small muted">
        This command comes from the registry and was not checked: read it before you run it.
      </span>
    </div>
  );
}
