import {
  type Integration,
  integrationSchema,
  type IntegrationState,
  signsForOf,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { integrationHistory } from "./integration_history.ts";
import { type IntegrationResult, integrationResults } from "./integration_results.ts";
import { integrationStateOf, stateSince } from "./integration_state.ts";
import { type NumberedPage, numbersOf } from "./numbered_page.ts";

/** An integration that takes new mail, and its state. */
export interface SummarizedIntegration {
  integration: Integration;
  state: IntegrationState;
  /** A sentence for people; null if nothing prevents sending. */
  reason: string | null;
  since: Date | null;
  /** Time before which nothing is tried; null while the circuit is closed. */
  openUntil: Date | null;
  /** Messages that wait for it, up to 10,000. */
  waiting: number;
  /** The domain that its mail is signed for; null if it is not signed here. */
  signsFor: string | null;
}

/** Look-ups of integrations for programs, without archived ones. */
export interface IntegrationSummaries {
  /** Lists the integrations of an account by their numbers, with their state. */
  listSummaries(
    accountId: string,
    page: NumberedPage,
    now: Date,
  ): Promise<SummarizedIntegration[]>;
  /** Finds an integration of an account, with its state. */
  findSummary(
    accountId: string,
    id: number,
    now: Date,
  ): Promise<SummarizedIntegration | null>;
}

const MAX_WAITING = 10_000;

/** Returns the look-ups of integrations with their state. */
export function integrationSummaries(
  db: Db,
  { withoutLogins = false }: { withoutLogins?: boolean } = {},
): IntegrationSummaries {
  const { integrations, openIntegrations } = collectionsOf(db);
  const { findCircuit, countWaiting } = integrationHistory(db);
  const { findResult, listResults } = integrationResults(db);
  const readable = withoutLogins ? openIntegrations : integrations;

  async function summarize(
    found: Integration,
    result: IntegrationResult | undefined,
  ): Promise<SummarizedIntegration> {
    const integration = integrationSchema.parse(found);
    const { accountId, id } = integration;
    const [circuit, waiting] = await Promise.all([
      findCircuit(accountId, id),
      countWaiting(accountId, id, MAX_WAITING),
    ]);
    const { state, reason } = integrationStateOf({ integration, circuit, result, waiting });
    const since = stateSince({ integration, state, result });
    const openUntil = circuit?.openUntil ?? null;
    return { integration, state, reason, since, openUntil, waiting, signsFor: signsForOf(found) };
  }

  return {
    async listSummaries(accountId, page, now) {
      const [found, results] = await Promise.all([
        readable.find({
          ...{ accountId, archivedAt: null },
          id: numbersOf(page),
        }).sort({ id: 1 }).limit(page.limit).toArray(),
        listResults(accountId, now),
      ]);
      return await Promise.all(
        found.map((each) => summarize(each, results.get(each.id))),
      );
    },
    async findSummary(accountId, id, now) {
      const found = await readable.findOne({ _id: `${accountId}/${id}`, archivedAt: null });
      if (found === null) return null;
      return await summarize(found, await findResult(accountId, id, now));
    },
  };
}
