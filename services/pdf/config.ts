import { CONNECTIONS, setting } from "@posthaste/runtime";
import { z } from "zod";

/** Settings of the pdf service, beside those that every service has. */
export const CONFIG = z.object({
  NATS_URL: CONNECTIONS.NATS_URL,
  CHROMIUM_PATH: setting.text().optional()
    .describe("The browser; when not set, an installed headless shell, else the npm package's"),
  CACHE_DIR: setting.text().optional()
    .describe("Folder for the unpacked browser and font settings; a temporary one when not set"),
  PRINT_PAGES: setting.integer({ min: 1, max: 64 }).prefault("3")
    .describe(
      "PDFs that are printed at once, of which bulk has at most three quarters: one more than cores is right",
    ),
  PRINT_TIME_LIMIT: setting.duration({ min: 100, max: 300_000 }).prefault("30s")
    .describe(
      "Longest time of the browser's own that one PDF may take; ten times that passes on a machine that is too busy",
    ),
  PDF_LIMIT: setting.bytes({ min: 10_000, max: 50_000_000 }).prefault("10MB")
    .describe(
      "Largest PDF; base64 makes a third more of it, which MAIL_LIMIT of mailer and dashboard has to leave room for",
    ),
  PRINTS_PER_BROWSER: setting.integer({ min: 1 }).prefault("1000")
    .describe("PDFs after which the browser is replaced"),
  BROWSER_AGE: setting.duration({ min: 1000 }).prefault("1h")
    .describe("Age at which the browser is replaced"),
  BROWSER_MEMORY: setting.bytes({ min: 100_000_000 }).prefault("1GB")
    .describe("Memory at which the browser is replaced"),
  PRINT_ISOLATION: setting.oneOf(["document", "account"]).prefault("document")
    .describe(
      "What documents of two accounts never share: a document object, or with `account` also a page and a renderer process",
    ),
  SANDBOX: setting.oneOf(["auto", "on", "off"]).prefault("auto")
    .describe(
      "Chromium's own sandbox: auto and on print nothing without it; as root, auto runs Chromium as user 65534",
    ),
});
