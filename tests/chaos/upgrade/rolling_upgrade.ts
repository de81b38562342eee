import { join } from "node:path";
import { MAIL_SERVICES } from "@posthaste/dev";
import type { Fault } from "../faults/fault.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Time for which both versions work beside each other before each replacement, in milliseconds. */
const BESIDE_MS = 400;

/** The steps of a rolling upgrade. */
export interface Journey {
  /** Replaced processes, and of these, those that were replaced while mail was asked for. */
  replaced: number;
  underLoad: number;
}

/**
 * Replaces every process of an old version by one of the working tree as a deployment does, what consumes events
 * before what makes them; then all of it back, in the reverse order, and forth again.
 *
 * @param oldRoot Folder of the old version, from which the services were started.
 */
export function rollingUpgrade(oldRoot: string): { fault: Fault; journey: Journey } {
  const journey: Journey = { replaced: 0, underLoad: 0 };
  const steps = [
    { root: ROOT, roles: MAIL_SERVICES },
    { root: oldRoot, roles: MAIL_SERVICES.toReversed() },
    { root: ROOT, roles: MAIL_SERVICES },
  ];
  const fault: Fault = {
    name: "upgrade",
    description:
      "Rolling upgrade to this version, back, and forth again, two versions side by side",
    async run({ fixture, pause, count }) {
      for (const { root, roles } of steps) {
        fixture.pods.use(root);
        for (const role of roles) {
          for (const old of fixture.pods.running(role)) {
            await fixture.pods.start(role);
            const isUnderLoad = await pause(BESIDE_MS);
            const reason = await fixture.pods.end(old, "SIGTERM");
            count("other", role);
            journey.replaced++;
            if (isUnderLoad) journey.underLoad++;
            if (reason !== 0) {
              fixture.pods.deaths.push(`${old.name} ended with ${reason} at SIGTERM`);
            }
          }
        }
      }
    },
  };
  return { fault, journey };
}
