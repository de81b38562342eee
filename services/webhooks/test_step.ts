import { hash } from "node:crypto";
import {
  type EventData,
  otherEventId,
  type Webhook,
  type WebhookReply,
} from "@posthaste/contracts";
import { openSemaphore } from "@posthaste/limits";
import type { Step } from "@posthaste/messaging";
import type { StorePart } from "@posthaste/storage";
import { deliver, type DeliverDeps } from "./deliver.ts";

/** The dependencies of the step. */
export type TestDeps =
  & DeliverDeps
  & StorePart<"webhooks.find">
  & {
    unseal(webhook: Webhook, now: Date): string[];
    signal: AbortSignal;
  };

/** Maximum concurrent tests in this process. */
export const TEST_CONCURRENCY = 8;

/** Maximum for one account: the others must not wait for its slow servers. */
const TESTS_OF_ACCOUNT = 2;

/**
 * Posts a test event to an endpoint, for an interactive request. The event is in no feed and changes nothing.
 */
export function testStep(deps: TestDeps): Step<"webhook.requested"> {
  const tests = openSemaphore({ max: Infinity, maxPerOwner: TESTS_OF_ACCOUNT });
  return {
    name: "webhooks.test",
    handle: async ({ data }) => {
      using permit = tests.tryAcquire(data.accountId);
      const reply = permit === undefined
        ? refused("Other tests of this account are running. Try again when they finish")
        : await test(data, deps);
      return { type: "done", publish: [], replies: [reply] };
    },
    giveUp: (_, reason) => ({
      publish: [],
      replies: [refused(`The test was aborted: ${reason}`)],
    }),
  };
}

async function test(
  { accountId, webhookId }: EventData<"webhook.requested">,
  deps: TestDeps,
): Promise<WebhookReply> {
  const webhook = await deps.webhooks.find(accountId, webhookId);
  if (webhook === null) return refused("There is no such endpoint");
  const at = deps.now();
  const digest = hash("sha256", `test/${webhookId}/${at.getTime()}`, "hex").slice(0, 24);
  const event = {
    ...{ id: otherEventId(at, digest), type: "webhook.test" as const, sequence: 0 },
    timestamp: at.toISOString(),
    data: { webhookId },
  };
  const secrets = deps.unseal(webhook, at);
  const attempt = await deliver({ webhook, secrets, event }, deps, deps.signal);
  const { status, durationMs, error = null, answer = "" } = attempt;
  return { ok: error === null, status, durationMs, error, answer };
}

/** Returns the reply for a test that was not started. */
function refused(error: string): WebhookReply {
  return { ok: false, status: null, durationMs: 0, error, answer: "" };
}
