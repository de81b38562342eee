import type { Batch } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { BatchRow } from "./interface/batches.ts";

/** Returns a function that shows batches of an account, with the names of their templates and integrations. */
export async function batchViewer(
  accountId: string,
  { templates, integrations }: StorePart<"templates.list" | "integrations.list">,
): Promise<(batch: Batch) => BatchRow> {
  const [ofTemplates, ofIntegrations] = await Promise.all([
    templates.list(accountId, "email"),
    integrations.list(accountId),
  ]);
  const templateNames = namesOf(ofTemplates);
  const integrationNames = namesOf(ofIntegrations);
  return (batch) => {
    const { _id: id, state, start, template, integrationId, recipients, sends } = batch;
    return {
      ...{ id, state, start, recipients, sends },
      createdAt: batch.createdAt.toISOString(),
      closesAt: batch.closesAt.toISOString(),
      endedAt: batch.endedAt?.toISOString() ?? null,
      sendAt: batch.notBefore?.toISOString() ?? null,
      template: { ...template, name: templateNames.get(template.id) ?? null },
      integration: { id: integrationId, name: integrationNames.get(integrationId) ?? null },
    };
  };
}

function namesOf(named: readonly { id: number; name: string }[]): Map<number, string> {
  return new Map(named.map(({ id, name }) => [id, name]));
}
