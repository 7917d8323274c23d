/** The value of a metric in the Prometheus text format, by its name and labels; undefined when there is none. */
export function metricIn(text: string, name: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
