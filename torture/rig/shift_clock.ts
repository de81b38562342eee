// Loaded before a service: its clock differs from that of this machine by CLOCK_SHIFT_MS. libfaketime would
// shift the clocks that only run forward, too, and few machines have it.
import process from "node:process";

const shiftMs = Number(process.env["CLOCK_SHIFT_MS"] ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + shiftMs] : args, newTarget),
  apply: (target) => new target(target.now() + shiftMs).toString(),
  get: (target, name) => name === "now" ? () => target.now() + shiftMs : Reflect.get(target, name),
});
