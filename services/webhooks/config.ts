import {
  type GuardedResolver,
  isNetwork,
  openGuardedResolver,
  readNetworks,
} from "@posthaste/egress";
import { CONNECTIONS, setting } from "@posthaste/runtime";
import { z } from "zod";

/** Settings of the webhooks service, beside those that every service has. */
export const CONFIG = z.object({
  ...CONNECTIONS,
  WEBHOOK_KEY: setting.text({ secret: true })
    .describe(
      "Keys that open the secrets of webhook endpoints, as id:base64, the current key first",
    ),
  WEBHOOK_PORTS: setting.ports().prefault("443,8443")
    .describe("Allowed ports of webhook endpoints at public addresses"),
  EGRESS_ALLOW: setting.listOf("networks such as 10.1.0.0/16", isNetwork).optional()
    .describe(
      "Private networks in which all accounts may have endpoints, on any port, also by http",
    ),
  WEBHOOK_TIMEOUT: setting.duration({ min: 100, max: 60_000 }).prefault("15s")
    .describe("Maximum time for a request to a webhook endpoint, with its answer"),
  WEBHOOK_LOOK_INTERVAL: setting.duration({ min: 50 }).prefault("500ms")
    .describe("Interval at which the feeds of accounts with endpoints are searched for new events"),
});

/** The policy for addresses of endpoints. */
export interface WebhookEgress {
  resolve: GuardedResolver;
  /** Returns whether an address may be reached without encryption. */
  mayBePlain(address: string): boolean;
}

/** Creates the policy for addresses of endpoints. */
export function openWebhookEgress(
  { WEBHOOK_PORTS, EGRESS_ALLOW = [] }: Pick<
    z.infer<typeof CONFIG>,
    "WEBHOOK_PORTS" | "EGRESS_ALLOW"
  >,
): WebhookEgress {
  const allowed = readNetworks(EGRESS_ALLOW);
  return {
    resolve: openGuardedResolver({ ports: WEBHOOK_PORTS.map(Number), allowed }),
    mayBePlain: (address) => allowed.has(address),
  };
}
