import { setTimeout as delay } from "node:timers/promises";
import type { Chaos, Fault } from "./fault.ts";
import { clearFaults, type SmtpFault, unknownOutcomeFaults } from "./smtp_fault.ts";

const WRONG_LOGIN: SmtpFault = {
  stage: "auth",
  action: { do: "reply", reply: "535 5.7.8 Authentication credentials invalid" },
  share: 0.25,
};

/** Faults of the receiving server. */
export const SMTP: Fault[] = [
  {
    name: "smtp-refusals",
    description: "Refusals, cuts and slow replies at every stage from the connection to QUIT",
    secure: true,
    smtp: clearFaults(0.012),
  },
  {
    name: "smtp-unknown",
    description: "Connections cut after the final dot, with the mail taken or lost",
    leavesUnknown: true,
    smtp: unknownOutcomeFaults(0.05),
  },
  {
    name: "smtp-unknown-hold",
    description: "The same for an integration that holds what nobody can know: none twice",
    whenUnknown: "hold",
    smtp: unknownOutcomeFaults(0.05),
  },
  {
    name: "smtp-login",
    description: "Logins are refused for good; a person resumes the integration again and again",
    secure: true,
    smtp: [WRONG_LOGIN],
    weight: 2,
    async run(chaos) {
      const { random, pause, heal } = chaos;
      while (await pause(random.integer(300, 1500))) await resume(chaos);
      await heal();
      // A recent refusal of a login may not be recorded yet.
      const deadline = performance.now() + LAST_REFUSAL_MS;
      while (performance.now() < deadline) {
        await resume(chaos);
        await delay(100);
      }
    },
  },
];

const LAST_REFUSAL_MS = 2000;

/** Resumes integrations as `posthaste integrations resume` does. */
async function resume({ fixture: { store }, account, count }: Chaos): Promise<void> {
  const { accountId, integrationId } = account;
  const integration = await store.integrations.find(accountId, integrationId);
  // A first refusal makes it wait for a minute; the test skips that wait.
  const isWaiting = await store.integrations.findCircuit(accountId, integrationId) !== null;
  if (integration === null || integration.suspended === null && !isWaiting) return;
  await store.integrations.resume(accountId, integrationId);
  count("other", "resume");
}
