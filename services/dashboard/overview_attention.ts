import type { AccessToken, Integration, Template } from "@posthaste/contracts";
import { circuitState } from "@posthaste/limits";
import type { IntegrationCircuit, OldestMessage, ReasonGroup } from "@posthaste/storage";
import type { AttentionView } from "./interface/overview.ts";

/** The data in which problems are searched. */
export interface Looked {
  integrations: Pick<Integration, "_id" | "id" | "name" | "suspended">[];
  circuits: IntegrationCircuit[];
  /** Of the last hour. */
  causes: ReasonGroup[];
  oldest: OldestMessage | null;
  tokens: Pick<AccessToken, "name" | "expiresAt" | "revokedAt">[];
  templates: Pick<Template, "id" | "kind" | "name" | "publishedVersion">[];
  now: Date;
}

const DAY_MS = 24 * 3_600_000;
const LONG_MS = 10 * 60_000;
const SOON_MS = 7 * DAY_MS;

/** Lists what needs a person's attention, the most urgent first. */
export function attentionOf(looked: Looked): AttentionView[] {
  return [
    ...suspended(looked),
    ...unreachable(looked),
    ...failures(looked),
    ...waiting(looked),
    ...expiring(looked),
    ...unpublished(looked),
  ];
}

function suspended({ integrations }: Looked): AttentionView[] {
  return integrations.flatMap(({ id, name, suspended }) =>
    suspended === null ? [] : {
      ...{ kind: "suspended", severity: "error", path: `/integrations/${id}` } as const,
      title: `Integration "${name}" is ${
        suspended.kind === "person" ? "paused" : "suspended"
      }: its messages are waiting`,
      detail: suspended.reason,
    }
  );
}

function unreachable({ integrations, circuits, now }: Looked): AttentionView[] {
  const byId = new Map(integrations.map((integration) => [integration._id, integration]));
  return circuits.flatMap((circuit) => {
    const { failures, reason, loginRefusedAt } = circuit;
    const integration = byId.get(circuit._id);
    const state = circuitState(circuit, now);
    // The end of a pause does not mean that the server works again.
    if (!integration || integration.suspended !== null || state === "closed") return [];
    const nextTry = state === "open" ? "in a minute" : "with the next message";
    return {
      ...{ kind: "unreachable", severity: "error" } as const,
      path: `/integrations/${integration.id}`,
      title: loginRefusedAt
        ? `The server of "${integration.name}" refused the login. Next try ${nextTry}`
        : `The server of "${integration.name}" cannot be reached: ${failures} failures in a row`,
      detail: reason,
    };
  });
}

function failures({ causes }: Looked): AttentionView[] {
  return causes.map(({ state, reason, code, enhanced, count, response }) => {
    const query = new URLSearchParams({ state, reason: reason ?? "" });
    if (code !== null) query.set("code", String(code));
    if (enhanced !== null) query.set("enhanced", enhanced);
    const what = count === 1 ? "1 message" : `${count} messages`;
    const became = state === "failed" ? "failed" : "may have arrived";
    return {
      ...{ kind: "failures", severity: state === "failed" ? "error" : "warning" } as const,
      path: `/messages?${query}`,
      title: `${what} ${became} in the last hour: ${reason ?? "the reason is unknown"}`,
      detail: response ?? "",
    };
  });
}

function waiting({ oldest, now }: Looked): AttentionView[] {
  if (oldest === null || now.getTime() - oldest.acceptedAt.getTime() < LONG_MS) return [];
  const minutes = Math.floor((now.getTime() - oldest.acceptedAt.getTime()) / 60_000);
  return [{
    ...{ kind: "waiting", severity: "warning", path: `/messages/${oldest.id}` } as const,
    title: `The oldest message has waited for ${durationOf(minutes)}`,
    detail: `It is ${oldest.state}`,
  }];
}

function durationOf(minutes: number): string {
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

function expiring({ tokens, now }: Looked): AttentionView[] {
  return tokens.flatMap(({ name, expiresAt, revokedAt }) => {
    const leftMs = expiresAt === null ? Infinity : expiresAt.getTime() - now.getTime();
    if (revokedAt !== null || leftMs <= 0 || leftMs > SOON_MS) return [];
    const days = Math.ceil(leftMs / DAY_MS);
    return {
      ...{ kind: "token", severity: "warning", path: "/tokens" } as const,
      title: `Token "${name}" expires within ${days === 1 ? "a day" : `${days} days`}`,
      detail: "Requests with this token are refused after that",
    };
  });
}

function unpublished({ templates }: Looked): AttentionView[] {
  return templates.filter(({ publishedVersion }) => publishedVersion === null)
    .map(({ id, kind, name }) => ({
      ...{ kind: "unpublished", severity: "info", path: `/${kind}-templates/${id}` } as const,
      title: `Template "${name}" is not published`,
      detail: "Requests for this template are refused until then",
    }));
}
