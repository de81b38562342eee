import {
  DEFAULT_SEND_LIMITS,
  MAX_FILENAME_LENGTH,
  MAX_NAME_LENGTH,
  MAX_VARIABLE_DEPTH,
} from "@posthaste/contracts";
import type { LimitView } from "./interface/people.ts";

const { maxRecipients, maxAttachments } = DEFAULT_SEND_LIMITS;

/** What holds where the operator has set nothing else: see docs/http.md and docs/settings.md. */
export const LIMITS: readonly LimitView[] = [
  { name: "Body of a request", value: "5 MB", about: "More is answered with 413" },
  {
    ...{ name: "Recipients of a request", value: maxRecipients.toLocaleString("en") },
    about: "More than 10 go through the bulk lane, which gives way to single mails",
  },
  {
    ...{ name: "PDFs of a recipient", value: String(maxAttachments) },
    about: "Identical ones are printed once",
  },
  { name: "Size of a PDF", value: "10 MB", about: "A larger one fails its mail" },
  { name: "Size of a mail", value: "25 MB", about: "With its PDFs, as it is transmitted" },
  {
    ...{ name: "Depth of variables", value: `${MAX_VARIABLE_DEPTH} levels` },
    about: "Objects and lists within each other",
  },
  { name: "Name of a person", value: `${MAX_NAME_LENGTH} characters`, about: "Sender, recipient" },
  { name: "Name of a file", value: `${MAX_FILENAME_LENGTH} characters`, about: "Of a PDF" },
  {
    ...{ name: "Requests of a token", value: "100 a second" },
    about: "Counted by each process; more are answered with 429 and when to come again",
  },
  { name: "Idempotency keys", value: "7 days", about: "The same key gets the first answer" },
];
