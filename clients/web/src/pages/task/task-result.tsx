import type { Task } from '@agent-fleet/sdk';
import { useMemo } from 'preact/hooks';
import { CopyButton } from '../../components/copy.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Fold, Panel } from '../../components/panel.tsx';
import { JsonView } from '../../json/json-view.tsx';
import { PatchPanel } from '../../patch/patch-view.tsx';
import { SkillList } from '../../tasks/skill-list.tsx';
import { count } from '../../text/numbers.ts';
import { short } from '../../text/pieces.ts';
import { duration } from '../../text/times.ts';
import { type AgentResult, readAgentResult } from './agent-result.ts';
import { Payload } from './payload.tsx';

/** The result of a task: what an agent did and changed, or the JSON that it is; its answer ends the conversation. */
export function TaskResult({ task: { id, result: value } }: { task: Task }) {
  const result = useMemo(() => readAgentResult(value), [value]);
  if (!result) return <Payload title="Result" value={value} />;
  return (
    <>
      <AgentResultPanel result={result} value={value} />
      {(result.patch || result.files.length > 0) && <PatchPanel {...result} fileName={`task-${id}.patch`} />}
    </>
  );
}

const MAX_NAME_CHARACTERS = 200;
const MAX_DETAIL_CHARACTERS = 500;
/** All are in the result as JSON. */
const MAX_DENIALS = 20;

interface AgentResultPanelProps {
  result: AgentResult;
  /** As it was reported. */
  value: unknown;
}

/** How an agent worked, and what it produced. */
function AgentResultPanel({ result, value }: AgentResultPanelProps) {
  const { text, output, denials, runtime } = result;
  // What another worker reports beside its text is shown, too.
  const hasMore = !runtime && Object.keys(value as object).length > 1;
  return (
    <Panel title="Result" actions={text && <CopyButton text={text} what="the answer" />}>
      <div class="stack">
        {output !== undefined && output !== null && (
          <section class="stack-tight">
            <h3>Output</h3>
            <JsonView value={output} label="output" />
          </section>
        )}
        {denials.length > 0 && <Denials denials={denials} />}
        <Facts facts={factsOf(result)} />
        <Fold class="fold" summary="All of the result as JSON" isOpenAtFirst={hasMore}>
          {() => <JsonView value={value} label="result" />}
        </Fold>
      </div>
    </Panel>
  );
}

function factsOf({ runtime, session, model, turns, durationMs, skills }: AgentResult): Fact[] {
  return [
    ['Runtime', runtime && short(runtime, MAX_NAME_CHARACTERS)],
    ['Model', model && short(model, MAX_NAME_CHARACTERS)],
    ['Session', session && <span class="mono">{short(session, MAX_NAME_CHARACTERS)}</span>],
    ['Turns', turns && count(turns)],
    ['Took', durationMs && duration(durationMs)],
    ['Skills', skills.length > 0 ? <SkillList skills={skills} /> : undefined],
  ];
}

function Denials({ denials }: Pick<AgentResult, 'denials'>) {
  return (
    <section class="stack-tight">
      <h3>Not allowed</h3>
      <ul class="stack-tight">
        {denials.slice(0, MAX_DENIALS).map(({ tool, detail }, index) => (
          <li key={index}>
            {short(tool, MAX_NAME_CHARACTERS)} <span class="mono muted">{short(detail, MAX_DETAIL_CHARACTERS)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
