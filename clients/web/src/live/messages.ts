export type LiveState = 'off' | 'connecting' | 'live' | 'reconnecting';

/** Events in the order of the stream. As one JSON text they are cheap to pass on and to parse. */
export interface Batch {
  /** There is no event between this id and the first of the batch. Undefined: nobody knows. */
  after: number | undefined;
  /** The id of the last event. */
  last: number;
  count: number;
  /** An array. */
  json: string;
}

/** Between the tabs of a browser. All but `hello`, which asks for the state, come from the leader. */
export type Message =
  | { kind: 'hello' }
  | { kind: 'state'; state: LiveState; last: number | undefined }
  | { kind: 'events'; batch: Batch }
  /** Events may have been missed. */
  | { kind: 'missed' };
