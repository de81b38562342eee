import type { Integration } from "@posthaste/contracts";
import type { IntegrationResult, IntegrationState, Store } from "@posthaste/storage";
import { type CommandContext, findAccountFor, openStoreFor } from "./command_context.ts";
import { integrationViewOf } from "./integration_view.ts";
import type { Output } from "./output.ts";
import { formatSpan, formatTime } from "./format.ts";
import type { Cell } from "./table.ts";

/** Only whether any mail waits is needed, not how many. */
const MAX_WAITING = 1;
/** Prints the integrations of an account, with the results of their mail. */
export async function listIntegrations(
  context: CommandContext,
  { account: wanted }: { account?: string },
): Promise<void> {
  const { output } = context;
  await using store = await openStoreFor(context);
  const account = await findAccountFor(context, store, wanted);
  const integrations = await store.integrations.list(account._id);
  const health = await healthOf(store, integrations);
  output.result(
    integrations.map((each) => ({ ...integrationViewOf(each), health: health.get(each.id) })),
    () =>
      integrations.length === 0
        ? 'There is no integration yet. Run "posthaste integrations create"'
        : output.table(
          [
            "ID",
            "NAME",
            "SERVER",
            "TLS",
            "USER",
            "CONNECTIONS",
            "PER MINUTE",
            "RETRY FOR",
            "UNKNOWN",
            "STATE",
            "LAST SENT",
            "24 H",
            "LAST FAILURE",
            "SENDERS",
          ],
          integrations.map((each) => [
            String(each.id),
            each.name,
            `${each.host}:${each.port}`,
            describeTls(output, each),
            each.auth?.user ?? "",
            String(each.maxConnections),
            each.maxPerMinute === null ? "" : String(each.maxPerMinute),
            formatSpan(each.retryForMs),
            each.whenUnknown,
            ...describeHealth(health.get(each.id)),
            each.senders.join(", "),
          ]),
        ),
  );
}

/** The state of an integration, and the results of its mail. */
interface Health extends Omit<IntegrationResult, "failingSince"> {
  state: IntegrationState;
  reason: string | null;
}

async function healthOf(
  store: Store,
  integrations: readonly Integration[],
): Promise<Map<number, Health>> {
  const [first] = integrations;
  if (first === undefined) return new Map();
  const { integrationStateOf } = await import("@posthaste/storage");
  const results = await store.integrations.listResults(first.accountId, new Date());
  return new Map(
    await Promise.all(integrations.map(async (integration) => {
      const { accountId, id } = integration;
      const [circuit, waiting] = await Promise.all([
        store.integrations.findCircuit(accountId, id),
        store.integrations.countWaiting(accountId, id, MAX_WAITING),
      ]);
      const result = results.get(id);
      const { lastSent = null, lastFailed = null, attempts = 0, sent = 0 } = result ?? {};
      const state = integrationStateOf({ integration, circuit, result, waiting });
      return [id, { ...state, lastSent, lastFailed, attempts, sent }] as const;
    })),
  );
}

function describeHealth(health: Health | undefined): string[] {
  if (health === undefined) return ["", "", "", ""];
  const { state, lastSent, lastFailed, attempts, sent } = health;
  return [
    state === "slow" ? "delayed" : state,
    lastSent === null ? "never" : formatTime(lastSent.at),
    attempts === 0 ? "" : `${sent} of ${attempts}`,
    lastFailed === null ? "" : `${formatTime(lastFailed.at)}: ${lastFailed.reason}`,
  ];
}

function describeTls(output: Output, { tls, ca, allowInvalidCertificate }: Integration): Cell {
  if (!allowInvalidCertificate) return { text: ca === null ? tls : `${tls}, own CA` };
  return { text: `${tls}, ANY CERTIFICATE`, style: output.styler(["red", "bold"]) };
}
