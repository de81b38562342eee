import type { ServiceName } from "@posthaste/dev";
import { shiftedClock } from "../fixture/shifted_clock.ts";
import type { Chaos, Fault } from "./fault.ts";
import { clearFaults } from "./smtp_fault.ts";

const AHEAD = shiftedClock(10 * 60_000);
const BEHIND = shiftedClock(-10 * 60_000);

/** Services whose second process has the other clock. */
const MIXED: readonly ServiceName[] = ["mailer", "tracker"];

/** Clocks of workers that are 20 minutes apart, beside refusals and killed mailers. */
export const CLOCKS: Fault = {
  name: "clocks",
  description: "The clocks of services, and of two processes of one, are 20 minutes apart",
  settings: { api: AHEAD, renderer: BEHIND, pdf: AHEAD, mailer: AHEAD, tracker: BEHIND },
  leavesUnknown: true,
  thinksMs: 30,
  smtp: clearFaults(0.006),
  async run(chaos) {
    const { fixture: { pods }, random, pause, count, note } = chaos;
    note("clocks are shifted by a module that is loaded before the service");
    for (const role of MIXED) await pods.start(role, otherClock(role));
    while (await pause(random.integer(1000, 4000))) {
      // The leading tracker stays: it has to find by one clock what mailers plan by the other.
      const [pod] = pods.running("mailer");
      if (pod === undefined) continue;
      await pods.end(pod, "SIGKILL");
      count("crash", "mailer");
      await pods.start("mailer", random.chance(0.5) ? otherClock("mailer") : {});
    }
    for (const role of MIXED) await only(role, chaos);
  },
};

function otherClock(role: ServiceName) {
  return role === "mailer" ? BEHIND : AHEAD;
}

async function only(role: ServiceName, { fixture: { pods } }: Chaos): Promise<void> {
  for (const pod of pods.running(role).slice(1)) await pods.end(pod, "SIGTERM");
}
