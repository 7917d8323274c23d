import type { components } from '@agent-fleet/sdk';

/** The outcome of an attempt. */
export type Report = Outcome & Partial<Used>;

type Outcome =
  | { status: 'completed'; result: unknown }
  | { status: 'failed'; error: { code: string; message: string; retryable: boolean } }
  | { status: 'cancelled' };

/** Tokens: `cached_input_tokens` are part of `input_tokens`, and `reasoning_tokens` of `output_tokens`. */
export interface Usage {
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
}

/** `estimated`: computed from tokens and a price list, not reported by the provider. */
export interface Cost {
  amount: number;
  currency: 'USD';
  estimated: boolean;
}

/** What an attempt has used so far; null where it is not known. */
export interface Used {
  usage: Usage | null;
  cost: Cost | null;
  model: string | null;
}

/** Progress of a task; `percent` is 0 to 100. */
export type Progress = components['schemas']['Progress'];

/** An entry of a task's log, as it is sent. */
export type LogEntry = components['schemas']['LogEntryInput'];
