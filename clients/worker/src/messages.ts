/** What an attempt takes while it works: messages, also into a running turn, interruptions, and answers. */
export type Takes = 'messages' | 'steer' | 'interrupt' | 'input';

/** Also `definitions`: tasks of agents that have one, which says what the attempt may do. */
export type Accepts = Takes | 'definitions';

/** A person's message: a turn of its own, a word into the running turn, or what the turn is stopped for. */
export interface Message {
  id: string;
  text: string;
  mode: 'queue' | 'steer' | 'interrupt';
}

/** How a message was taken: `prompt` as the beginning of the first turn, or of one after an interruption. */
export type DeliveredAs = 'prompt' | 'queue' | 'steer' | 'interrupt';

/** What a person is asked. Of a runtime the worker cuts and redacts the texts. */
export interface Ask {
  /** Unique in the task, 1 to 200 characters: what is asked again under the same key is the same request. */
  key: string;
  kind: 'approval' | 'question' | 'form';
  title: string;
  /** Markdown. */
  text?: string;
  /** What an approval would run, exactly. */
  tool?: { name: string; input: unknown };
  options?: AskOption[];
  multiple?: boolean;
  allow_text?: boolean;
  /** Whether the answer may have another input of the tool. */
  input_editable?: boolean;
  /** Flat, as MCP's elicitation has it. */
  schema?: Record<string, unknown>;
  /** Stands for the answer when nobody gives one in time. Default: none, and the task fails. */
  default?: { option_ids?: string[]; text?: string; values?: Record<string, unknown> };
  /** 60 to 604,800; default 86,400. */
  expires_in_seconds?: number;
}

export interface AskOption {
  id: string;
  label: string;
  description?: string;
  role?: 'allow' | 'deny' | 'allow_always' | 'other';
}

/** What was answered; null when the request was withdrawn, or nobody answered in time. */
export type Answer = {
  option_ids: string[] | null;
  text: string | null;
  values: Record<string, unknown> | null;
  tool_input?: unknown;
  /** Of the input that was allowed. */
  tool_digest?: string | null;
} | null;
