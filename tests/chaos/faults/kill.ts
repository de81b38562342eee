import { MAIL_SERVICES, type ServiceName } from "@posthaste/dev";
import type { Chaos, Fault } from "./fault.ts";

/**
 * One in five processes lives this long: an event whose workers all end rightly counts as poison, and a
 * printer has to start its browser before it prints.
 */
const SPARED_SHARE = 0.2;
const SPARED_MS = 5000;

/** Ends processes of a service, one after the other, and starts each again immediately. */
function killOf(roles: readonly ServiceName[]) {
  return async ({ fixture, random, pause, count }: Chaos): Promise<void> => {
    const lifetimeMs = () => random.chance(SPARED_SHARE) ? SPARED_MS : random.integer(300, 2500);
    while (await pause(lifetimeMs())) {
      const pod = fixture.pods.running(random.pick(roles))[0];
      if (pod === undefined) continue;
      await fixture.pods.end(pod, "SIGKILL");
      count("crash", pod.role);
      await fixture.pods.start(pod.role);
    }
  };
}

/** SIGKILL of each service, and of any, with a constant backlog. */
export const KILLS: Fault[] = [
  ...MAIL_SERVICES.map((role): Fault => ({
    name: `kill-${role}`,
    description: `SIGKILL of the ${role} every second or two`,
    unanswered: role === "api",
    leavesUnknown: role === "mailer",
    backlog: 0.4,
    run: killOf([role]),
  })),
  {
    name: "kill-any",
    description: "SIGKILL of a random service every second or two",
    unanswered: true,
    leavesUnknown: true,
    backlog: 0.4,
    weight: 3,
    run: killOf(MAIL_SERVICES),
  },
];
