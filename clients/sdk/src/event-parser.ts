/** An event as it was sent. */
export interface RawEvent {
  /** The last id of the stream, also if the event itself had none. */
  id: string;
  event: string;
  data: string;
}

/** Characters of one event: more than the largest event of a fleet has. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Parses Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream)
 * from text in chunks. @throws RangeError for an event of more than 4 million characters
 */
export function createEventParser(onRetry: (ms: number) => void) {
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  let characters = 0;

  function onLine(line: string): RawEvent | undefined {
    if (line === '') return dispatch();
    const [name = '', value] = splitField(line);
    characters += value.length;
    if (characters > MAX_CHARACTERS) throw new RangeError('an event is too large');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) onRetry(Number(value));
    return undefined;
  }

  function dispatch(): RawEvent | undefined {
    const found = data.length > 0 ? { id, event: event || 'message', data: data.join('\n') } : undefined;
    event = '';
    data = [];
    characters = 0;
    return found;
  }

  return {
    /** The events that are complete with this chunk. */
    push(chunk: string): RawEvent[] {
      const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (rest.length > MAX_CHARACTERS) throw new RangeError('an event is too large');
      return lines.map(onLine).filter((found) => found !== undefined);
    },
  };
}

function splitField(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}
