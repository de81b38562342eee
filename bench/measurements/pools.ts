// The baselines of mails without PDFs of their own, over the usual number of connections.

/** Templates are filled and mails sent in one process. */
export const POOL = {
  part: "Handlebars + nodemailer pool",
  baseline: "nodemailer",
  unit: "mail",
} as const;

/** Less of the work: the mail is filled before. */
export const FILLED_POOL = {
  part: "nodemailer pool, filled before",
  baseline: "nodemailerFilled",
  unit: "mail",
} as const;

/** Less again: the mail is also composed before. */
export const RAW_POOL = {
  part: "nodemailer pool, MIME ready (raw)",
  baseline: "nodemailerRaw",
  unit: "mail",
} as const;
