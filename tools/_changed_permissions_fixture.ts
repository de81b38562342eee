/**
 * Changes the tracker's permissions by `CHANGED_PERMISSION`, when loaded before a program (`--import`).
 *
 * @module
 */
import process from "node:process";
import { PERMISSIONS, type ProgramPermissions } from "@posthaste/runtime";

const tracker = PERMISSIONS.tracker as { -readonly [Key in keyof ProgramPermissions]: unknown };
const { broker, database } = PERMISSIONS.tracker;

switch (process.env["CHANGED_PERMISSION"]) {
  case "network":
    tracker.dials = ["broker"];
    break;
  case "programs":
    tracker.starts = ["services/tracker/_evil.sh"];
    break;
  case "files":
    tracker.writes = ["temporary"];
    break;
  case "secrets":
    tracker.secrets = ["NATS_URL"];
    break;
  case "broker":
    tracker.broker = { ...broker, makes: [...broker.makes, "render.requested"] };
    break;
  case "database":
    tracker.database = { ...database, tokens: ["find"] };
    break;
}
