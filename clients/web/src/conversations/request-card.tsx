import { FleetError } from '@agent-fleet/sdk';
import { optionLabel } from '@agent-fleet/sdk/words';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { exactJson } from '../api/exact-json.ts';
import { fleet } from '../api/fleet.ts';
import { may } from '../api/session.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { TextArea } from '../components/field.tsx';
import { LongText } from '../components/long-text.tsx';
import { FormError } from '../components/notice.tsx';
import { toast } from '../components/toast.tsx';
import { useSubmit } from '../components/use-form.ts';
import type { InputRequest } from '../frame/open-requests.ts';
import { formatJson } from '../json/json-values.ts';
import { JsonView } from '../json/json-view.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { capital, short } from '../text/pieces.ts';
import { RelativeTime } from '../text/relative-time.tsx';
import { safeLine } from '../text/safe-text.ts';
import { answerWords, defaultWords, keyOf, type Option } from './answers.ts';
import { Choices, FormInput } from './form-fields.tsx';
import { toFormFields, toFormValues } from './form-values.ts';
import { ToolToAllow } from './tool-input.tsx';
import './conversations.css';

const MAX_DEFAULT = 60;

interface RequestCardProps {
  request: InputRequest;
  /** Whose it is, where that is not plain. */
  children?: ComponentChildren;
  /** Whether its buttons have keys, and which: the page presses what has `data-answer-key`. */
  hasKeys?: boolean;
  /** Something has changed; `isOwn`: by an answer that was given here. */
  onChange: (isOwn: boolean) => void;
}

/** What a task asks: all that the decision needs comes before the buttons. */
export function RequestCard({ request, children, hasKeys, onChange }: RequestCardProps) {
  const { kind, title, text, tool, state, created_at, expires_at } = request;
  return (
    <article class="request stack" data-tone={state === 'open' ? 'ask' : undefined} aria-label={safeLine(title)}>
      <header class="row small muted">
        <Badge tone="ask">{capital(kind)}</Badge>
        {children}
        <span class="end">
          <RelativeTime at={created_at} />
          {state === 'open' && (
            <>
              , expires <RelativeTime at={expires_at} />
              {request.default && `; then: ${short(defaultWords(request), MAX_DEFAULT)}`}
            </>
          )}
        </span>
      </header>
      <h2>{safeLine(title)}</h2>
      {text && (
        <div class="request-words">
          <Markdown text={text} />
        </div>
      )}
      {tool && <ToolToAllow tool={tool} />}
      {state !== 'open' && <AnswerText request={request} />}
      {state === 'open' && !may('tasks:answer') && <p class="muted">It waits for somebody whose role may answer.</p>}
      {state === 'open' && may('tasks:answer') && (
        <AnswerForm request={request} hasKeys={hasKeys} onChange={onChange} />
      )}
    </article>
  );
}

/** With all that was said. */
function AnswerText({ request }: { request: InputRequest }) {
  const { text, values, tool_input } = request.answer ?? {};
  return (
    <>
      <strong>{answerWords(request)}</strong>
      {text && <LongText text={text} />}
      {values && <JsonView value={values} label="values" />}
      {tool_input !== undefined && <JsonView value={tool_input} label="changed input" />}
    </>
  );
}

const KINDS = { allow: 'primary', deny: 'danger', allow_always: 'plain', other: 'plain' } as const;
/** So long after a request has come up its keys do nothing: a second press was for the one before. */
const ARMED_MS = 500;

function AnswerForm({ request, hasKeys, onChange }: Omit<RequestCardProps, 'children'>) {
  const { agent_id, task_id, id, kind, options, multiple, allow_text, schema, tool, input_editable } = request;
  const [fields] = useState(() => toFormFields(schema));
  const [values, setValues] = useState(() => Object.fromEntries(fields.map(({ name, initial }) => [name, initial])));
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [input, setInput] = useState<string>();
  const pressed = useRef<Option>(undefined);
  const isArmed = useArmed();
  const buttons = multiple ? [] : options;

  const { error, isBusy, submit } = useSubmit(async () => {
    const ids = pressed.current ? [pressed.current.id] : chosen;
    const isDenied = pressed.current?.role === 'deny';
    const body = {
      ...(ids.length > 0 && { option_ids: [...ids] }),
      ...(text.trim() !== '' && { text }),
      ...(fields.length > 0 && !isDenied && { values: toFormValues(fields, values) }),
      ...(input !== undefined && !isDenied && { tool_input: exactJson.parse(input) }),
    };
    const path = { agent_id, task_id, request_id: id };
    try {
      await fleet.put('/agents/{agent_id}/tasks/{task_id}/input-requests/{request_id}/answer', {
        params: { path },
        body,
      });
      toast('Your answer was sent.');
      onChange(true);
    } catch (failure) {
      if (failure instanceof FleetError && failure.status === 409) onChange(false);
      throw failure;
    }
  });

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        const value = (event.submitter as HTMLButtonElement | null)?.value;
        pressed.current = buttons.find((option) => option.id === value);
        submit(event);
      }}
    >
      {/* Enter in a field would press the first button, which may allow something. */}
      {buttons.length > 0 && <button type="submit" disabled hidden />}
      {fields.map((field) => (
        <FormInput
          key={field.name}
          field={field}
          value={values[field.name]}
          onInput={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      {multiple && <Choices options={options.map(toChoice)} chosen={chosen} onChange={setChosen} />}
      {input !== undefined && <TextArea label="Changed input" isCode rows={8} value={input} onInput={setInput} />}
      {allow_text && (
        <TextArea
          label={
            kind !== 'question' ? 'Words to the agent (optional)' : options.length > 0 ? 'In your own words' : 'Answer'
          }
          rows={2}
          maxLength={32_768}
          required={kind === 'question' && options.length === 0}
          value={text}
          onInput={setText}
        />
      )}
      <FormError error={error} />
      <div class="row request-options">
        {buttons.map((option) => (
          <Button
            key={option.id}
            type="submit"
            value={option.id}
            kind={KINDS[option.role]}
            isBusy={isBusy}
            formNoValidate={option.role === 'deny'}
            data-answer-key={hasKeys && isArmed ? keyOf(option, buttons) : undefined}
          >
            <OptionText option={option} />
            {hasKeys && keyOf(option, buttons) && <kbd>{keyOf(option, buttons)}</kbd>}
          </Button>
        ))}
        {(buttons.length === 0 || (kind !== 'approval' && text.trim() !== '')) && (
          <Button type="submit" kind={buttons.length === 0 ? 'primary' : 'plain'} isBusy={isBusy}>
            {buttons.length === 0 ? 'Send answer' : 'Send your words'}
          </Button>
        )}
        {tool && input_editable && input === undefined && (
          <Button kind="quiet" onClick={() => setInput(formatJson(tool.input) ?? '')}>
            Change the input
          </Button>
        )}
      </div>
    </form>
  );
}

function toChoice(option: Option) {
  const { id, description } = option;
  return { value: id, label: safeLine(description ? `${optionLabel(option)}: ${description}` : optionLabel(option)) };
}

function OptionText({ option }: { option: Option }) {
  return (
    <span class="request-option">
      {safeLine(optionLabel(option))}
      {option.description && <span class="small">{safeLine(option.description)}</span>}
    </span>
  );
}

function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMED_MS);
    return () => clearTimeout(timer);
  }, []);
  return isArmed;
}
