import { CONNECTIONS, MAIL_LIMITS, PDF_LIMITS, setting } from "@posthaste/runtime";
import { z } from "zod";

/** Settings of the pdf service, beside those that every service has. */
export const CONFIG = z.object({
  NATS_URL: CONNECTIONS.NATS_URL,
  CHROMIUM_PATH: setting.text().optional()
    .describe(
      "Path of the browser; when not set, an installed headless shell, else that of the npm package",
    ),
  CACHE_DIR: setting.text().optional()
    .describe("Folder for the unpacked browser and font settings; a temporary one when not set"),
  PRINT_PAGES: setting.integer({ min: 1, max: 64 }).prefault("3")
    .describe(
      "Concurrent PDF prints, of which bulk uses at most three quarters. Recommended: number of cores plus one",
    ),
  PRINT_TIME_LIMIT: setting.duration({ min: 100, max: 300_000 }).prefault("30s")
    .describe(
      "Maximum browser time for one PDF; on a busy machine, up to ten times that in wall-clock time",
    ),
  ...PDF_LIMITS,
  ...MAIL_LIMITS,
  BROWSER_AGE: setting.duration({ min: 1000 }).prefault("1h")
    .describe("Age at which a browser is replaced"),
  BROWSER_MEMORY: setting.bytes({ min: 100_000_000 }).prefault("1GB")
    .describe("Memory at which a browser is replaced; one runs for each priority"),
  PRINT_ISOLATION: setting.oneOf(["document", "account"]).prefault("document")
    .describe(
      "What documents of different accounts never share: a document object; with `account`, also a page and a renderer process",
    ),
  SANDBOX: setting.oneOf(["auto", "on", "off"]).prefault("auto")
    .describe(
      "Chromium's sandbox: with auto or on, nothing is printed without it; as root, auto runs Chromium as user 65534",
    ),
});
