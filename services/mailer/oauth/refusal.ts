import { OAUTH_ENDPOINTS, type OauthProvider } from "@posthaste/contracts";
import { OauthFailure } from "./oauth_failure.ts";
import { CONNECT_AGAIN, type LoginKind, type Words, wordsOfAadsts } from "./aadsts_words.ts";

/** An error answer of a token endpoint (RFC 6749, section 5.2). */
export interface ErrorAnswer {
  error: string;
  description: string;
}

/** By the words of Google's descriptions, which have no codes. */
const BY_GOOGLE_WORDS: readonly (readonly [RegExp, Words])[] = [
  [/invalid jwt signature|no private key/i, [
    "Google does not accept the key of the service account",
    "It may have been removed: create another key (JSON) for the service account, and enter its file",
  ]],
  [/short-lived token|reasonable timeframe/i, [
    "The clock of the mailer is wrong",
    "Ask the operator to synchronize the clocks",
  ]],
  [/invalid email|user id|account not found|not a valid email/i, [
    "Google does not know the user, or the service account",
    "The user must be a mailbox of the Workspace whose administrator delegates to the service account",
  ]],
  [/account has been deleted|disabled/i, [
    "The account is disabled, or was removed",
    "Check the user in the Admin console",
  ]],
];

const DELEGATION: Words = [
  "The service account may not act for this user",
  "In the Admin console, under Security > API controls > Domain-wide delegation, add the client id of " +
  "the service account with the scope https://mail.google.com/. It can take a day to apply",
];

const BY_ERROR: Readonly<Record<string, (kind: LoginKind) => Words>> = {
  invalid_client: () => [
    "The provider does not accept the client id or its secret",
    "Compare both with the provider's page, or create another secret, and enter it",
  ],
  deleted_client: () => ["The client was removed", "Create another one at the provider"],
  invalid_grant: (kind) =>
    kind === "code"
      ? ["The sign-in has expired, or was used before", CONNECT_AGAIN]
      : kind === "googleServiceAccount"
      ? DELEGATION
      : [
        "The consent has expired, or was revoked",
        `${CONNECT_AGAIN}. At Google, consents of an app in testing expire after 7 days`,
      ],
  unauthorized_client: (kind) =>
    kind === "googleServiceAccount" ? DELEGATION : [
      "The client may not use this way to log in",
      "Check the type of the client at the provider (web application), and its permissions",
    ],
  invalid_scope: (kind) =>
    kind === "googleServiceAccount" ? DELEGATION : [
      "The client may not ask for the permission to send mail",
      "Add the permission to send mail to the client at the provider, and grant consent",
    ],
  access_denied: (kind) =>
    kind === "googleServiceAccount"
      ? DELEGATION
      : ["The consent was refused", `${CONNECT_AGAIN}, and accept`],
  admin_policy_enforced: () => [
    "The administrator of the Workspace does not allow this client",
    "In the Admin console, under Security > API controls, mark the client as trusted",
  ],
  invalid_request: () => [
    "The provider does not accept the request",
    "Check client id, tenant and secret",
  ],
  unsupported_grant_type: () => [
    "The provider does not support this way to log in",
    "Choose another kind of login",
  ],
  redirect_uri_mismatch: () => [
    "The client does not know the address of this dashboard",
    "Add the redirect URI that the integration shows to the client",
  ],
  interaction_required: () => [
    "The provider wants the person to sign in again",
    CONNECT_AGAIN,
  ],
};

/**
 * Returns the failure for an error answer, or `undefined` if the request may succeed later. Of the answer,
 * only codes are passed on.
 */
export function refusalOf(
  answer: ErrorAnswer,
  { provider, kind }: { provider: OauthProvider; kind: LoginKind },
): OauthFailure | undefined {
  const aadsts = /\bAADSTS(\d{4,8})\b/.exec(answer.description)?.[1];
  const ofCode = aadsts === undefined ? undefined : wordsOfAadsts(aadsts, kind);
  if (ofCode === "later") return undefined;
  const words = ofCode ?? wordsOfGoogle(answer, provider) ?? own(BY_ERROR, answer.error)?.(kind);
  if (words === undefined) return undefined;
  const [reason, remedy] = words;
  const code = aadsts === undefined ? answer.error : `AADSTS${aadsts}`;
  const said = `${reason} (${OAUTH_ENDPOINTS[provider].name}: ${code})`;
  return new OauthFailure(said, { isPermanent: true, remedy });
}

function wordsOfGoogle(
  { error, description }: ErrorAnswer,
  provider: OauthProvider,
): Words | undefined {
  if (provider !== "google" || error !== "invalid_grant") return undefined;
  return BY_GOOGLE_WORDS.find(([pattern]) => pattern.test(description))?.[1];
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
