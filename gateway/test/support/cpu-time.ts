/** Milliseconds of processor time that this process spends while `work` runs, which what else runs on the machine hardly changes. */
export async function cpuTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
