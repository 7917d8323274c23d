// Loaded by `node --import`: the clock of the process differs from that of the machine by CLOCK_SHIFT_MS.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const realNow = Date.now;

Date.now = () => realNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, created) => Reflect.construct(target, given.length === 0 ? [Date.now()] : given, created),
  apply: (target) => new target(Date.now()).toString(),
});
