import process from "node:process";

/**
 * Every place where a test may end a process immediately, as a power cut would: `<service>.<moment>`.
 * Each is called at one place in the code, at the moment that its name states. `mailer.after_reply` is called at two: a
 * server accepts the mail, or it refuses.
 */
export const FAILPOINTS = [
  "api.before_accept",
  "api.after_key",
  "api.after_accept",
  "api.before_answer",
  "api.after_dispatch",
  "consume.received",
  "consume.before_publish",
  "consume.after_publish",
  "consume.after_ack",
  "renderer.before_fill",
  "renderer.after_fill",
  "renderer.after_contents",
  "pdf.received",
  "pdf.before_print",
  "pdf.after_print",
  "pdf.after_store",
  "objects.after_put",
  "mailer.admitted",
  "mailer.before_return",
  "mailer.after_return",
  "mailer.composed",
  "mailer.before_data",
  "mailer.mid_body",
  "mailer.before_register",
  "mailer.after_register",
  "mailer.after_dot",
  "mailer.after_reply",
  "mailer.before_outcome",
  "mailer.after_outcome",
  "mailer.before_setback",
  "mailer.failure_counted",
  "mailer.after_suspend",
  "mailer.after_deferral",
  "status_events.before_record",
  "status_events.after_record",
  "tracker.reconcile_found",
  "tracker.reconcile_postponed",
  "tracker.lost_ended",
  "tracker.reconcile_dispatched",
  "tracker.before_settle",
  "tracker.after_settle",
  "tracker.before_advance",
  "tracker.after_advance",
  "tracker.part_dispatched",
  "tracker.before_due",
  "tracker.after_due",
] as const;

/** Name of a place in {@linkcode FAILPOINTS}. */
export type Failpoint = (typeof FAILPOINTS)[number];

let armed: { name: string; passes: number } | undefined;

/**
 * Arms a place by the setting `POSTHASTE_CRASH_AT`: `mailer.after_dot:3` ends the process at the third call
 * of that place.
 *
 * @throws {RangeError} If there is no such place.
 */
export function armFailpoint(spec: string): void {
  const [name = "", passes = "1"] = spec.split(":");
  if (!FAILPOINTS.includes(name as Failpoint) || !/^[1-9]\d*$/.test(passes)) {
    throw new RangeError(`Cannot crash at "${spec}": it takes a name of the list and a number`);
  }
  armed = { name, passes: Number(passes) };
}

/** Ends the process with SIGKILL if this place is armed and its turn has come. */
export function failpoint(name: Failpoint): void {
  if (armed === undefined || armed.name !== name) return;
  armed.passes -= 1;
  if (armed.passes === 0) process.kill(process.pid, "SIGKILL");
}
