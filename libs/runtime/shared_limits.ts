import { setting } from "./setting.ts";

/** Limits of the HTTP interface: the api holds to them, and the dashboard tells them. */
export const REQUEST_LIMITS = {
  BODY_LIMIT: setting.bytes({ min: 1000, max: 15_000_000 }).prefault("5MB")
    .describe("Largest request body"),
  MAX_RECIPIENTS: setting.integer({ min: 1, max: 10_000 }).prefault("1000")
    .describe("Most recipients of one send"),
  MAX_ATTACHMENTS: setting.integer({ min: 0, max: 100 }).prefault("10")
    .describe("Most attachments of one recipient"),
  RATE_LIMIT: setting.integer({ min: 0 }).prefault("100")
    .describe("Requests that one token may make within RATE_WINDOW, per process; 0 sets no limit"),
  RATE_WINDOW: setting.duration({ min: 100 }).prefault("1s")
    .describe("Time in which requests are counted for RATE_LIMIT"),
};

/** Limits of mails: the mailer holds to them, and the dashboard tells them. */
export const MAIL_LIMITS = {
  MAIL_LIMIT: setting.bytes({ min: 10_000 }).prefault("25MB")
    .describe("Largest mail, encoded"),
};
