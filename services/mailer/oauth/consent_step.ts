import {
  CONSENT_GRANT,
  type ConsentGrant,
  consentGrantSchema,
  type ConsentReply,
  type EventData,
  type Integration,
} from "@posthaste/contracts";
import type { Step } from "@posthaste/messaging";
import {
  bindLogin,
  type MasterKeys,
  openSecret,
  sealingKeyOf,
  sealSecret,
  type StorePart,
} from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import { exchangeCode, type TokenClient } from "./fetch_token.ts";
import { OauthFailure } from "./oauth_failure.ts";
import { openLogin } from "./open_login.ts";

/** The dependencies of the step. */
export type ConsentDeps =
  & StorePart<"integrations.find">
  & {
    keys: MasterKeys;
    tokenClient: TokenClient;
    logger: Pick<Logger, "warn">;
  };

/**
 * Exchanges the code of a person's consent for a refresh token, which leaves this process only sealed. The
 * integration must be stored with its client before.
 */
export function consentStep(deps: ConsentDeps): Step<"consent.requested"> {
  return {
    name: "mailer.consent",
    handle: async ({ data, isAgain }) => {
      // A code can be used once: what the lost worker got is lost, too.
      const reply = isAgain ? INTERRUPTED : await exchange(data, deps);
      return { type: "done", publish: [], replies: [reply] };
    },
    giveUp: () => ({ publish: [], replies: [INTERRUPTED] }),
  };
}

const AGAIN = "Give consent again: open the integration and sign in at the provider";
const INTERRUPTED = refused("The exchange of the consent was interrupted", AGAIN);

async function exchange(
  { accountId, integrationId, grant }: EventData<"consent.requested">,
  deps: ConsentDeps,
): Promise<ConsentReply> {
  const integration = await deps.integrations.find(accountId, integrationId);
  if (integration?.auth?.kind !== "oauthRefreshToken") {
    return refused("The integration has no login by consent", "Save the integration first");
  }
  const bound = { ...integration, recordId: integration._id };
  try {
    const opened = openLogin(integration.auth, bound, deps.keys);
    if (opened.kind !== "oauthRefreshToken") throw new TypeError("not a login by consent");
    const code = openGrant(grant, integration, deps.keys);
    const { refreshToken } = await exchangeCode(opened, code, deps.tokenClient);
    if (refreshToken === undefined) return NO_REFRESH_TOKEN;
    const sealed = sealSecret(refreshToken, {
      ...bindLogin(bound, "auth.refreshToken"),
      key: sealingKeyOf(deps.keys),
    });
    return { ok: true, refreshToken: sealed, revision: integration.revision };
  } catch (error) {
    if (error instanceof OauthFailure) return refused(error.message, error.remedy);
    deps.logger.warn("Cannot exchange a consent", { integration: integration._id, error });
    return refused("A secret could not be opened", "Enter the client secret again");
  }
}

const NO_REFRESH_TOKEN = refused(
  "The provider issued no refresh token",
  "Remove the access of this client in your account at the provider, then give consent again",
);

function openGrant(
  grant: EventData<"consent.requested">["grant"],
  { _id: recordId, accountId }: Integration,
  keys: MasterKeys,
): ConsentGrant {
  const opened = openSecret(grant, { accountId, recordId, field: CONSENT_GRANT, keys });
  return consentGrantSchema.parse(JSON.parse(opened));
}

function refused(reason: string, remedy: string): ConsentReply {
  return { ok: false, reason, remedy };
}
