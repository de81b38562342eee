/**
 * Changes the tracker's permissions by `CHANGED_PERMISSION` (`network,files`), when loaded before a program
 * (`--import`).
 *
 * @module
 */
import process from "node:process";
import { PERMISSIONS, type ProgramPermissions } from "@posthaste/runtime";

const tracker = PERMISSIONS.tracker as { -readonly [Key in keyof ProgramPermissions]: unknown };
const { broker, database } = PERMISSIONS.tracker;

const CHANGES: Readonly<Record<string, () => unknown>> = {
  network: () => tracker.dials = ["broker"],
  programs: () => tracker.starts = ["services/tracker/_evil.sh"],
  files: () => tracker.writes = ["temporary"],
  secrets: () => tracker.secrets = ["NATS_URL"],
  broker: () => tracker.broker = { ...broker, makes: [...broker.makes, "render.requested"] },
  database: () => tracker.database = { ...database, tokens: ["find"] },
};

for (const change of process.env["CHANGED_PERMISSION"]?.match(/\w+/g) ?? []) CHANGES[change]?.();
