import type { IntegrationHealthView } from "../../../../interface/integrations.ts";
import { StatePill } from "../../parts/state_pill.tsx";
import { lookOfIntegration } from "./integration_look.ts";

/** Shows the state of an integration by colour, sign and word. */
export function IntegrationBadge(
  health: Pick<IntegrationHealthView, "state" | "lastSent" | "lastFailed">,
) {
  return <StatePill {...lookOfIntegration(health)} />;
}
