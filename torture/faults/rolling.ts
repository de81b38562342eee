import { MAIL_SERVICES } from "@posthaste/dev";
import type { Fault } from "./fault.ts";

/** Replaces processes as a deployment does: the new one is ready before the old one is told to stop. */
export const ROLLING: Fault = {
  name: "rolling",
  description: "Rolling restarts by SIGTERM: no mail twice, no request refused",
  async run({ rig, random, pause, count }) {
    while (await pause(random.integer(100, 600))) {
      const old = random.pick(rig.pods.running(random.pick(MAIL_SERVICES)));
      await rig.pods.start(old.role);
      const reason = await rig.pods.end(old, "SIGTERM");
      count("other", old.role);
      if (reason !== 0) rig.pods.deaths.push(`${old.name} ended with ${reason} at SIGTERM`);
    }
  },
};
