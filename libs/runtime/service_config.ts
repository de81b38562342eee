import { z } from "zod";
import { setting } from "./setting.ts";

/** Settings that every service has; part of what {@linkcode runService} reads. */
export const SERVICE_CONFIG = z.object({
  LOG_LEVEL: setting.oneOf(["debug", "info", "warn", "error"]).prefault("info")
    .describe("Lowest level of log records that are written"),
  HEALTH_PORT: setting.port().optional()
    .describe("Port of /livez, /readyz and /metrics; when not set, there is no health server"),
  HEALTH_HOST: setting.text().prefault("0.0.0.0").describe("Address of the health server"),
  SHUTDOWN_DEADLINE: setting.duration({ min: 100 }).prefault("25s")
    .describe("Maximum time from the first signal to the end of the process"),
  POSTHASTE_CRASH_AT: setting.text().optional()
    .describe("For tests: ends the process at a named moment, such as mailer.after_dot:3"),
  POSTHASTE_PARENT_PIPE: setting.integer({ min: 0 }).optional()
    .describe("File descriptor of a pipe from the parent process; its end stops the service"),
});
