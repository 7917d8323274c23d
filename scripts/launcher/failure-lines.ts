const MAX_LINES = 5;

/**
 * The lines that explain a failed process: its plain lines without the stack, or the message of its last log record.
 */
export function failureLines(printed: string): string[] {
  const lines = printed.split('\n').filter((line) => line.trim() !== '');
  const plain = lines.filter((line) => !line.startsWith('{') && !/^\s+at /.test(line));
  if (plain.length > 0) return plain.slice(-MAX_LINES);
  const last = lines.at(-1);
  return last === undefined ? [] : [messageOf(last)];
}

function messageOf(record: string): string {
  try {
    const { msg, err } = JSON.parse(record) as { msg?: string; err?: { message?: string } };
    return [msg, err?.message].filter(Boolean).join(': ') || record;
  } catch {
    return record;
  }
}
