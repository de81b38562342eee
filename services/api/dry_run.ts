import {
  type DryRun,
  type GivenMessage,
  type Issue,
  localeOf,
  MAX_EVENT_BYTES,
  type Recipient,
  type SendRequest,
} from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import { givenContent, jsonBytes, type MailContentDeps } from "@posthaste/messaging";
import { contentOf } from "./content_fault.ts";
import { explainBody } from "./explain_variables.ts";
import { httpErrorOf } from "./fault.ts";
import {
  findSendable,
  type FindSendableDeps,
  type Sendable,
  type SendCommand,
} from "./find_sendable.ts";
import { warningFields, warningsOf } from "./send_warnings.ts";

/** What {@linkcode dryRun} needs. */
export interface DryRunDeps extends FindSendableDeps, MailContentDeps {
  /** Longest wait for all messages to be filled, in milliseconds. */
  renderTimeoutMs: number;
}

const ACTION = "try the send";

/**
 * The largest size of one recipient's variables and the common ones, in bytes: they go to the
 * renderer in one event.
 */
const MAX_GIVEN_BYTES = MAX_EVENT_BYTES - 2048;

/** The largest size of the filled mails of one answer, in bytes. */
const MAX_FILLED_BYTES = 10_000_000;

/**
 * Checks a send as if it were to be accepted and fills some of its messages. Stores and prints
 * nothing.
 *
 * @param indexes Positions in the request's `to`.
 * @throws {HttpError} The errors of accepting it and of filling it.
 */
export async function dryRun(
  command: Omit<SendCommand, "idempotency" | "trace">,
  indexes: readonly number[],
  deps: DryRunDeps,
): Promise<DryRun> {
  const found = await findSendable({ ...command, idempotency: undefined, trace: undefined }, deps);
  // Without an idempotency key there is no earlier send.
  if ("earlier" in found) throw new HttpError("internal", `Cannot ${ACTION}: it has no key`);
  const { email: { templateId: id, version }, checked: { request }, suppressed } = found;
  const until = performance.now() + deps.renderTimeoutMs;
  const messages: DryRun["messages"] = [];
  let bytes = 0;
  for (const [index, recipient] of pick(request, indexes)) {
    const { accountId } = command;
    const filled = await fill(recipient, { ...found, index, accountId, until, deps });
    bytes += filled.bytes;
    if (bytes > MAX_FILLED_BYTES) {
      throw tooLarge(`the mails exceed ${MAX_FILLED_BYTES} bytes: ask for fewer recipients`);
    }
    messages.push(filled);
  }
  const { length: count } = request.to;
  const emails = count === 1 ? "1 email" : `${count} emails`;
  const message = `${emails} would be put in the queue`;
  const warnings = warningFields(warningsOf(request, found), suppressed);
  return { status: "dry_run", message, template: { id, version }, ...warnings, messages };
}

/**
 * Returns the recipients at some positions.
 *
 * @throws {HttpError} `invalid_request` if there is no such recipient.
 */
function pick({ to }: SendRequest, indexes: readonly number[]): [number, Recipient][] {
  const faults: Issue[] = [];
  const picked = indexes.flatMap((index): [number, Recipient][] => {
    const recipient = to[index];
    if (recipient !== undefined) return [[index, recipient]];
    const message = `there is no recipient ${index}: the first is 0, the last ${to.length - 1}`;
    faults.push({ path: "recipients", code: "wrong_type", message });
    return [];
  });
  if (faults.length > 0) throw httpErrorOf(ACTION, faults);
  return picked;
}

interface Filling extends Sendable {
  index: number;
  accountId: string;
  /** When the wait ends, by `performance.now()`. */
  until: number;
  deps: DryRunDeps;
}

async function fill(
  recipient: Recipient,
  { email, checked, index, accountId, until, deps }: Filling,
): Promise<DryRun["messages"][number]> {
  const message = givenMessage(recipient, { email, checked, index });
  if (jsonBytes(message) > MAX_GIVEN_BYTES) {
    throw tooLarge(`the variables of recipient ${index} exceed ${MAX_GIVEN_BYTES} bytes`);
  }
  const timeoutMs = Math.max(1, until - performance.now());
  const filled = await contentOf(
    `fill the mail of recipient ${index}`,
    givenContent({ accountId, message, timeoutMs }, deps),
  );
  const { subject, html, text, pdfs } = filled;
  const levels = { top: checked.request.variables, recipient: recipient.variables };
  const locale = localeOf(checked.request, recipient);
  return {
    ...{ index, email: recipient.email, subject, html, text },
    bytes: [subject, html, text].reduce((sum, part) => sum + Buffer.byteLength(part), 0),
    ...explainBody(email, levels, locale),
    attachments: (recipient.attachments ?? []).map(({ id, variables }, position) => {
      const version = checked.pdfs.get(id);
      const own = { ...levels, attachment: variables };
      return {
        ...{ index: position, id, filename: pdfs[position]?.filename ?? "" },
        ...(version === undefined ? NO_BODY : explainBody(version, own, locale)),
      };
    }),
  };
}

const NO_BODY = { variant: null, variables: {} };

/** Labels are left out: no template reads them. */
function givenMessage(
  { email, variables, attachments, locale: own }: Recipient,
  { email: version, checked, index }: Pick<Filling, "email" | "checked" | "index">,
): GivenMessage {
  const locale = localeOf(checked.request, { locale: own });
  return {
    template: { id: version.templateId, version: version.version },
    pdfVersions: checked.pdfVersions,
    variables: checked.request.variables,
    recipient: { index, attempt: 0, email, variables, attachments, locale },
  };
}

function tooLarge(reason: string): HttpError {
  return new HttpError("payload_too_large", `Cannot ${ACTION}: ${reason}`);
}
