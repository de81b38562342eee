import { setting } from "./setting.ts";

/** Limits of the HTTP interface: the api enforces them, and the dashboard shows them. */
export const REQUEST_LIMITS = {
  BODY_LIMIT: setting.bytes({ min: 1000, max: 15_000_000 }).prefault("5MB")
    .describe("Maximum size of a request body"),
  MAX_RECIPIENTS: setting.integer({ min: 1, max: 10_000 }).prefault("1000")
    .describe("Maximum of recipients of one send"),
  MAX_ATTACHMENTS: setting.integer({ min: 0, max: 100 }).prefault("10")
    .describe("Maximum of attachments of one recipient"),
  RATE_LIMIT: setting.integer({ min: 0 }).prefault("100")
    .describe("Maximum of requests of one token within RATE_WINDOW, per process; 0 sets no limit"),
  RATE_WINDOW: setting.duration({ min: 100 }).prefault("1s")
    .describe("Time in which requests are counted for RATE_LIMIT"),
};

/** Limits of mails: the mailer enforces them, the dashboard shows them, and pdf compares its own limit with them. */
export const MAIL_LIMITS = {
  MAIL_LIMIT: setting.bytes({ min: 10_000 }).prefault("25MB")
    .describe("Maximum size of a mail, encoded"),
};

/** The most bytes of a PDF that an operator can allow. */
export const MAX_PDF_BYTES = 50_000_000;

/** Limits of PDFs: pdf enforces them, and the dashboard shows them. */
export const PDF_LIMITS = {
  PDF_LIMIT: setting.bytes({ min: 10_000, max: MAX_PDF_BYTES }).prefault("10MB")
    .describe(
      "Maximum size of a PDF; base64 adds more than a third, so MAIL_LIMIT of mailer, dashboard and pdf must be larger",
    ),
};

/** Limit of the suppression list: services enforce it where people and programs add addresses. */
export const SUPPRESSION_SETTINGS = {
  MAX_SUPPRESSIONS: setting.integer({ min: 1, max: 10_000_000 }).prefault("1000000")
    .describe(
      "Maximum of entries on the suppression list of one account; addresses that do not fit are refused",
    ),
};

/** Where mails show stored images from: the renderer writes these URLs, and the api serves them. */
export const ASSET_SETTINGS = {
  ASSETS_URL: setting.url({ schemes: ["https", "http"] }).optional()
    .describe(
      "Public base URL of the api for stored images, in mails of templates that are published from then on: " +
        "<base>/assets/<sha256>; without it, mails carry the images",
    ),
};
