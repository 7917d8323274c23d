import { useMemo } from 'preact/hooks';
import { PatchPanel } from '../../../patch/patch-view.tsx';
import { Payload, type PayloadProps } from '../payload.tsx';
import { readAgentResult } from './agent-result.ts';
import { AgentResultPanel } from './agent-result-view.tsx';

/** The result of a task: what an agent answered and changed, or the JSON that it is. */
export function TaskResult(props: Omit<PayloadProps, 'title' | 'name'> & { taskId: string }) {
  const { taskId, ...payload } = props;
  const value = payload.isKnown ? payload.task.whole.data?.result : undefined;
  const result = useMemo(() => readAgentResult(value), [value]);
  if (!result) return <Payload {...payload} title="Result" name="result" />;
  return (
    <>
      <AgentResultPanel result={result} value={value} />
      {(result.patch || result.files.length > 0) && <PatchPanel {...result} fileName={`task-${taskId}.patch`} />}
    </>
  );
}
