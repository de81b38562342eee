import type { IntegrationHealthView } from "../../../../interface/integrations.ts";
import { Time } from "../../parts/time.tsx";
import { plannedTry } from "./planned_try.ts";

/** Shows when the server of an integration is tried again, after its reason; empty if no try is planned. */
export function NextTry(health: Pick<IntegrationHealthView, "state" | "openUntil">) {
  const planned = plannedTry(health, new Date());
  if (planned === null) return null;
  return (
    <>
      . Next try{" "}
      {planned === "next message" ? "with the next message" : <Time at={planned} size="sm" />}
    </>
  );
}
