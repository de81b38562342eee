import type { IntegrationHealthView } from "../../../../interface/integrations.ts";

const PERCENT = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/**
 * Formats the share of attempts that succeeded: `98.7%`. It is rounded down, so that one failure
 * among thousands does not look like none.
 */
export function formatRate(
  { sent, attempts }: Pick<IntegrationHealthView, "sent" | "attempts">,
): string {
  return PERCENT.format(Math.floor(1000 * sent / attempts) / 1000);
}
