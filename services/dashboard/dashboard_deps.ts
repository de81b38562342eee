import type { Logger } from "@posthaste/telemetry";
import type { SealingKey, Store } from "@posthaste/storage";
import type { Bus } from "@posthaste/messaging";

/** All that the dashboard needs of the world. */
export interface DashboardDeps {
  store: Store;
  bus: Pick<Bus, "ask" | "publish" | "objects" | "streamStates" | "queueStates">;
  /** SMTP passwords are sealed to it; the mailer alone opens them. */
  sealingKey: SealingKey;
  /** Secrets of webhook endpoints are sealed to it; without it none can be made. */
  webhookSealingKey?: SealingKey | undefined;
  now(): Date;
  logger: Pick<Logger, "debug" | "info" | "warn" | "error">;
}
