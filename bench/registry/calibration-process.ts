// Parses the first edition of the synthetic source several times with JSON.parse and prints the median of the processor
// time in seconds.
import { median } from '../load/rounds.ts';
import { registryText, type SyntheticRegistry } from './synthetic/synthetic-registry.ts';

const TIMES = 5;

const registry = JSON.parse(process.argv[2] ?? '') as SyntheticRegistry;
const text = [...registryText(registry)].join('');
console.log(median(Array.from({ length: TIMES }, parse)));

function parse(): number {
  globalThis.gc?.();
  const before = process.cpuUsage();
  JSON.parse(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
