import {
  EVENT_VERSION,
  type EventData,
  inLocale,
  MAX_EVENT_BYTES,
  type Rendered,
  type RenderReply,
  type TokenLimits,
  variablesSchema,
  variantFor,
} from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { HttpError } from "./http_error.ts";
import { errorType, type Logger } from "@posthaste/telemetry";
import { requireUse } from "./authenticate.ts";
import { findFaultsForRender } from "./check_variables.ts";
import { httpErrorOf } from "./fault.ts";
import { isIdOrAlias } from "./path_ids.ts";
import type { RequestStore } from "./request_store.ts";
import { wantedLocale } from "./wanted_locale.ts";
import { RETRY_AFTER_SECONDS } from "./retry_after.ts";

/** What {@linkcode renderTemplate} needs. */
export interface RenderTemplateDeps {
  store: Pick<RequestStore, "latestEmailVersion" | "accountLocale">;
  /** Asks a renderer; returns undefined if none answers in time. Rejects if the broker is gone. */
  render(
    data: EventData<"render.requested">,
    options: { timeoutMs: number },
  ): Promise<RenderReply | undefined>;
  /** Rejects if the broker does not answer properly. It is called when a renderer is slow. */
  checkBroker(): Promise<void>;
  /** Longest wait for the renderer, in milliseconds. */
  renderTimeoutMs: number;
  logger: Pick<Logger, "error">;
}

/** A request to render. */
export interface RenderCommand {
  accountId: string;
  /** What the token is limited to. */
  limits: Pick<TokenLimits, "templates" | "integrations">;
  /** Id or alias of an email template, as in the path. */
  templateId: string;
  /** As in the URL, unchecked. */
  query: unknown;
  /** As parsed from JSON, unchecked. */
  body: unknown;
}

/** The largest body of a request to render: it goes to the renderer in one event. */
export const MAX_VARIABLES_BYTES = MAX_EVENT_BYTES - 2048;

/** With the time of the check itself, a missing broker is reported within 2 s. */
const ASK_BROKER_AFTER_MS = 900;
const ACTION = "render the template";

/**
 * Fills the newest published version of an email template.
 *
 * @throws {HttpError}
 */
export async function renderTemplate(
  { accountId, limits, templateId, query, body }: RenderCommand,
  deps: RenderTemplateDeps,
): Promise<Rendered> {
  const version = isIdOrAlias(templateId)
    ? await deps.store.latestEmailVersion(accountId, templateId)
    : null;
  if (version === null) {
    const reason = `there is no email template "${templateId}"`;
    throw new HttpError("unknown_template", `Cannot ${ACTION}: ${reason}`);
  }
  requireUse(limits, { templateId: version.templateId });
  const { data: variables, error } = variablesSchema.safeParse(body, BODY_PARSING);
  if (error !== undefined) throw httpErrorOf(ACTION, bodyIssues(error));
  // Serialized again, it may be longer than it came: `1e20`.
  if (Buffer.byteLength(JSON.stringify(variables)) > MAX_VARIABLES_BYTES) throw tooLarge();
  const locale = await wantedLocale({ accountId, query, action: ACTION }, deps.store);
  const faults = findFaultsForRender(inLocale(version, locale), variables);
  if (faults.length > 0) throw httpErrorOf(ACTION, faults);
  const reply = await ask({
    v: EVENT_VERSION,
    accountId,
    templateId: version.templateId,
    version: version.version,
    // The tag itself: requests for one body are filled together.
    ...localeField(variantFor(version, locale)),
    variables,
  }, deps);
  if (reply.ok) return { subject: reply.subject, html: reply.html, text: reply.text };
  const code = reply.timedOut ? "render_timeout" : "template_failed";
  throw new HttpError(code, `Cannot ${ACTION}: ${reply.reason}`);
}

function localeField(locale: string | null): { locale?: string } {
  return locale === null ? {} : { locale };
}

function tooLarge(): HttpError {
  const reason = `the variables exceed ${MAX_VARIABLES_BYTES} bytes`;
  return new HttpError("payload_too_large", `Cannot ${ACTION}: ${reason}`);
}

async function ask(
  data: EventData<"render.requested">,
  { render, checkBroker, renderTimeoutMs: timeoutMs, logger }: RenderTemplateDeps,
): Promise<RenderReply> {
  let failure: unknown;
  let isGone = false;
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    checkBroker().catch((error) => {
      isGone = true;
      reject(error);
    });
  }, ASK_BROKER_AFTER_MS);
  try {
    const reply = await Promise.race([render(data, { timeoutMs }), gone]);
    if (reply !== undefined) return reply;
  } catch (error) {
    failure = error;
  } finally {
    clearTimeout(timer);
  }
  logger.error(`Cannot ${ACTION}: no renderer responded`, { error: failure });
  const isLate = failure === undefined || !isGone && errorType(failure) === "timeout";
  throw isLate
    ? new HttpError("render_timeout", `Cannot ${ACTION}: it took more than ${timeoutMs} ms`)
    : new HttpError("unavailable", `Cannot ${ACTION}: try again soon`, {
      cause: failure,
      retryAfter: RETRY_AFTER_SECONDS,
    });
}
