import { setTimeout as delay } from "node:timers/promises";
import type { ServiceName } from "@posthaste/dev";
import type { Chaos, Fault } from "./fault.ts";
import { REPLY_MS, TRANSFER_MS } from "../fixture/open_fixture.ts";

const ROLES: readonly ServiceName[] = ["mailer", "renderer", "pdf", "tracker"];

/**
 * Returns a fault that stops one of two workers for longer than its lease; it wakes up with old work in
 * flight.
 */
function freezeOf(role: ServiceName) {
  // A tracker sees that the time of a register is over within 4.6 s, and records its mail as unknown.
  const longestMs = role === "mailer" ? 7000 : 3000;
  return async ({ fixture, random, pause, count }: Chaos): Promise<void> => {
    while (fixture.pods.running(role).length < 2) await fixture.pods.start(role);
    // At least once, even if the client is done early.
    do {
      const pod = random.pick(fixture.pods.running(role));
      fixture.pods.freeze(pod);
      count("other", role);
      // To the end even if the run is over meanwhile: the others must have taken its work.
      await delay(TRANSFER_MS + REPLY_MS + random.integer(500, longestMs));
      fixture.pods.thaw(pod);
    } while (await pause(random.integer(300, 1500)));
    for (const pod of fixture.pods.running(role).slice(1)) await fixture.pods.end(pod, "SIGTERM");
  };
}

/** SIGSTOP of each worker for longer than its lease. */
export const ZOMBIES: Fault[] = ROLES.map((role) => ({
  name: `zombie-${role}`,
  description: `One of two ${role}s is stopped for longer than a lease, and wakes up again`,
  leavesUnknown: role === "mailer",
  // Then some mails are claimed and wait for a connection when their mailer is stopped.
  ...(role === "mailer" ? { thinksMs: 120, connections: 4 } : {}),
  run: freezeOf(role),
}));
