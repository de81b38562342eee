import { MAIL_SERVICES, type ServiceName } from "@posthaste/dev";
import type { Chaos, Fault } from "./fault.ts";

/** Replaces processes as a deployment does: the new one is ready before the old one gets SIGTERM. */
export const ROLLING: Fault = {
  name: "rolling",
  description: "Rolling restarts by SIGTERM: no mail twice, no request refused",
  run: replaceOf(MAIL_SERVICES),
};

/** Mailers are replaced while servers are slow: they wait for the replies that come in time. */
export const TERM_SLOW: Fault = {
  name: "term-slow",
  description: "SIGTERM of mailers whose servers take up to 4 s for a reply: no outcome is unknown",
  settings: { mailer: { REPLY_TIMEOUT: "20s" } },
  thinksMs: 2000,
  connections: 40,
  run: replaceOf(["mailer"]),
};

function replaceOf(roles: readonly ServiceName[]) {
  return async ({ fixture, random, pause, count }: Chaos): Promise<void> => {
    while (await pause(random.integer(100, 600))) {
      const old = random.pick(fixture.pods.running(random.pick(roles)));
      await fixture.pods.start(old.role);
      const reason = await fixture.pods.end(old, "SIGTERM");
      count("other", old.role);
      if (reason !== 0) fixture.pods.deaths.push(`${old.name} ended with ${reason} at SIGTERM`);
    }
  };
}
