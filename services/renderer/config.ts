import { CONNECTIONS, setting } from "@posthaste/runtime";
import { z } from "zod";

/** Settings of the renderer service, beside those that every service has. */
export const CONFIG = z.object({
  ...CONNECTIONS,
  RENDER_CONCURRENCY: setting.integer({ min: 1, max: 100 }).prefault("4")
    .describe("Events that are worked on at once, in each priority, of new mail and of retries"),
  CAGE_WORKERS: setting.integer({ min: 1, max: 64 }).prefault("2")
    .describe("Processes that fill templates"),
  RENDER_TIME_LIMIT: setting.duration({ min: 50, max: 60_000 }).prefault("2s")
    .describe("Longest time that one message's templates may take"),
  RENDER_MEMORY_MB: setting.integer({ min: 64, max: 4096 }).prefault("256")
    .describe("Memory that a process which fills templates may use, in MiB"),
  REMOTE_IMAGES: setting.boolean().prefault("false")
    .describe("Whether images of PDFs are fetched where the template says so"),
  REMOTE_IMAGE_TIME_LIMIT: setting.duration({ min: 100, max: 60_000 }).prefault("5s")
    .describe("Longest time that fetching one image may take"),
  REMOTE_IMAGE_SIZE: setting.bytes({ min: 1000, max: 3_000_000 }).prefault("2MB")
    .describe("Largest image that is fetched"),
  EGRESS_ALLOW: setting.list().prefault("")
    .describe(`Networks that may be reached although they are not public, such as "10.1.0.0/16"`),
});
