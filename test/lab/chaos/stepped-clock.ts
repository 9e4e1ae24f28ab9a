import process from "node:process";

// Loaded before a service (`node --import`). Each SIGUSR2 steps the wall clock of the process by an hour, or back.
const HOUR_MS = 3_600_000;
const steps = [HOUR_MS, 0, -HOUR_MS, 0];
const RealDate = Date;
let offset = 0;
let step = 0;

const now = () => RealDate.now() + offset;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, key, receiver) => (key === "now" ? now : Reflect.get(target, key, receiver)),
});

process.on("SIGUSR2", () => {
  offset = steps[step % steps.length] ?? 0;
  step += 1;
});
