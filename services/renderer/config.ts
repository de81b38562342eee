import { ASSET_SETTINGS, CONNECTIONS, setting } from "@posthaste/runtime";
import { z } from "zod";

/** Settings of the renderer service, beside those that every service has. */
export const CONFIG = z.object({
  ...CONNECTIONS,
  ...ASSET_SETTINGS,
  RENDER_CONCURRENCY: setting.integer({ min: 1, max: 100 }).prefault("4")
    .describe("Concurrent events for each priority, of new messages and of retries"),
  SANDBOX_WORKERS: setting.integer({ min: 1, max: 64 }).prefault("2")
    .describe("Processes that fill templates"),
  RENDER_TIME_LIMIT: setting.duration({ min: 50, max: 60_000 }).prefault("2s")
    .describe("Maximum time to render the templates of one message"),
  RENDER_MEMORY_MB: setting.integer({ min: 64, max: 4096 }).prefault("256")
    .describe("Maximum memory of a process that fills templates, in MiB"),
  REMOTE_IMAGES: setting.boolean().prefault("false")
    .describe("Whether images of PDFs are fetched if the template allows it"),
  REMOTE_IMAGE_TIME_LIMIT: setting.duration({ min: 100, max: 60_000 }).prefault("5s")
    .describe("Maximum time to fetch one image"),
  REMOTE_IMAGE_SIZE: setting.bytes({ min: 1000, max: 3_000_000 }).prefault("2MB")
    .describe("Maximum size of a fetched image"),
  EGRESS_ALLOW: setting.list().prefault("")
    .describe(`Private networks that may be reached, such as "10.1.0.0/16"`),
});
