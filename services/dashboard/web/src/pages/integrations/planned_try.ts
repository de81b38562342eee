import type { IntegrationHealthView } from "../../../../interface/integrations.ts";

/**
 * Returns when the server of an integration is tried again: at a time, or with the next message once its pause
 * has ended. Null if no try is planned: there is no pause, or a person must act first.
 */
export function plannedTry(
  { state, openUntil }: Pick<IntegrationHealthView, "state" | "openUntil">,
  now: Date,
): Date | "next message" | null {
  if (openUntil === null || state === "suspended" || state === "paused") return null;
  const at = new Date(openUntil);
  return at > now ? at : "next message";
}
