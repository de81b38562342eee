import { MAX_FILENAME_LENGTH, MAX_NAME_LENGTH, MAX_VARIABLE_DEPTH } from "@posthaste/contracts";
import { formatBytes, formatDuration } from "@posthaste/runtime";
import type { LimitView } from "./interface/people.ts";

/** Limits that the operator sets for the api and the mailer, and tells the dashboard by the same settings. */
export interface ReportedLimits {
  /** In bytes. */
  bodyLimit: number;
  maxRecipients: number;
  maxAttachments: number;
  /** Requests of a token within the window; 0 sets no limit. */
  rateLimit: number;
  rateWindowMs: number;
  /** In bytes. */
  mailLimit: number;
}

/** Lists what holds for requests and mails: see docs/http.md and docs/settings.md. */
export function limitRows(told: ReportedLimits): LimitView[] {
  return [
    {
      ...{ name: "Body of a request", value: spaced(formatBytes(told.bodyLimit)) },
      about: "More is answered with 413",
    },
    {
      ...{ name: "Recipients of a request", value: told.maxRecipients.toLocaleString("en") },
      about: "More than 10 go through bulk priority, which gives way to single mails",
    },
    {
      ...{ name: "PDFs of a recipient", value: String(told.maxAttachments) },
      about: "Identical ones are printed once",
    },
    { name: "Size of a PDF", value: "10 MiB", about: "A larger one fails its mail" },
    {
      ...{ name: "Size of a mail", value: spaced(formatBytes(told.mailLimit)) },
      about: "With its PDFs, as it is transmitted",
    },
    {
      ...{ name: "Depth of variables", value: `${MAX_VARIABLE_DEPTH} levels` },
      about: "Objects and lists within each other",
    },
    {
      name: "Name of a person",
      value: `${MAX_NAME_LENGTH} characters`,
      about: "Sender, recipient",
    },
    { name: "Name of a file", value: `${MAX_FILENAME_LENGTH} characters`, about: "Of a PDF" },
    {
      ...{ name: "Requests of a token", value: rateText(told) },
      about: "Counted by each process; more are answered with 429 and when to come again",
    },
    { name: "Idempotency keys", value: "7 days", about: "The same key gets the first answer" },
  ];
}

function rateText({ rateLimit, rateWindowMs }: ReportedLimits): string {
  if (rateLimit === 0) return "no limit";
  const requests = rateLimit.toLocaleString("en");
  return rateWindowMs === 1000
    ? `${requests} a second`
    : `${requests} in ${spaced(formatDuration(rateWindowMs))}`;
}

/** `5MB` as people write it. */
function spaced(text: string): string {
  return text.replace(/(\d)([a-z])/i, "$1 $2");
}
