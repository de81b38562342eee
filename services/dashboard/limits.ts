import { MAX_FILENAME_LENGTH, MAX_NAME_LENGTH, MAX_VARIABLE_DEPTH } from "@posthaste/contracts";
import { formatBytes, formatDuration } from "@posthaste/runtime";
import type { LimitView } from "./interface/people.ts";

/** Limits of the api, the pdf service and the mailer; the operator gives the dashboard the same settings. */
export interface ReportedLimits {
  /** In bytes. */
  bodyLimit: number;
  maxRecipients: number;
  maxAttachments: number;
  /** Requests of a token within the window; 0 sets no limit. */
  rateLimit: number;
  rateWindowMs: number;
  /** In bytes. */
  pdfLimit: number;
  /** In bytes. */
  mailLimit: number;
}

/** Lists the limits for requests and mails: see docs/http.md and docs/settings.md. */
export function limitRows(limits: ReportedLimits): LimitView[] {
  return [
    {
      ...{ name: "Body of a request", value: spaced(formatBytes(limits.bodyLimit)) },
      about: "A larger body gets 413",
    },
    {
      ...{ name: "Recipients of a request", value: limits.maxRecipients.toLocaleString("en") },
      about: "Requests with more than 10 get bulk priority. Transactional messages go first",
    },
    {
      ...{ name: "PDFs of a recipient", value: String(limits.maxAttachments) },
      about: "Identical PDFs are printed once",
    },
    {
      ...{ name: "Size of a PDF", value: spaced(formatBytes(limits.pdfLimit)) },
      about: "A larger PDF fails its message",
    },
    {
      ...{ name: "Size of a mail", value: spaced(formatBytes(limits.mailLimit)) },
      about: "As transmitted, including PDFs",
    },
    {
      ...{ name: "Depth of variables", value: `${MAX_VARIABLE_DEPTH} levels` },
      about: "Nesting of objects and lists",
    },
    {
      name: "Name of a person",
      value: `${MAX_NAME_LENGTH} characters`,
      about: "Sender, recipient",
    },
    { name: "Name of a file", value: `${MAX_FILENAME_LENGTH} characters`, about: "Of a PDF" },
    {
      ...{ name: "Requests of a token", value: rateText(limits) },
      about: "Counted per process; more get 429 with Retry-After",
    },
    { name: "Idempotency keys", value: "7 days", about: "The same key returns the first response" },
  ];
}

function rateText({ rateLimit, rateWindowMs }: ReportedLimits): string {
  if (rateLimit === 0) return "no limit";
  const requests = rateLimit.toLocaleString("en");
  return rateWindowMs === 1000
    ? `${requests} a second`
    : `${requests} in ${spaced(formatDuration(rateWindowMs))}`;
}

/** Returns a size with a space before its unit. */
function spaced(text: string): string {
  return text.replace(/(\d)([a-z])/i, "$1 $2");
}
