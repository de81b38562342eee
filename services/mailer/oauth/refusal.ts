import { OAUTH_ENDPOINTS, type OauthProvider } from "@posthaste/contracts";
import { OauthFailure } from "./oauth_failure.ts";
import type { OpenedLogin } from "./opened_login.ts";

/** An error answer of a token endpoint (RFC 6749, section 5.2). */
export interface ErrorAnswer {
  error: string;
  description: string;
}

type Kind = OpenedLogin["kind"] | "code";
type Words = readonly [reason: string, remedy: string];

const SECRETS_PAGE = "in the app registration, under Certificates & secrets";
const PERMISSION: Record<"app" | "person", string> = {
  app: "the application permission SMTP.SendAsApp of Office 365 Exchange Online",
  person: "the delegated permission SMTP.Send",
};

const CONNECT_AGAIN = "Give consent again: open the integration and sign in at the provider";

/** Microsoft's codes: https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
const BY_AADSTS: Readonly<Record<string, (kind: Kind) => Words>> = {
  ...all(["7000215", "70002"], () => [
    "Microsoft does not accept the client secret",
    `Enter the value of the secret, not its id. If it is lost, create another one ${SECRETS_PAGE}`,
  ]),
  ...all(["7000222"], () => [
    "The client secret has expired",
    `Create another one ${SECRETS_PAGE}, and enter its value`,
  ]),
  ...all(["7000218"], () => [
    "The application requires a client secret",
    `Create one ${SECRETS_PAGE}, and enter its value`,
  ]),
  ...all(["700016"], () => [
    "The application does not exist in this tenant",
    "Check the client id and the tenant: both are on the overview page of the app registration",
  ]),
  ...all(["7000112", "70001"], () => [
    "The application is disabled",
    "Ask the administrator of the tenant to enable it",
  ]),
  ...all(["90002", "900023", "50059", "900021"], () => [
    "The tenant is wrong",
    "Enter the directory (tenant) id from the overview page of the app registration",
  ]),
  ...all(["65001", "650056", "90094", "90093"], (kind) => [
    "Consent is missing",
    kind === "oauthClientCredentials"
      ? `Add ${PERMISSION.app} to the app registration, and have an administrator grant consent`
      : `Add ${PERMISSION.person} to the app registration, and give consent again. An ` +
        "administrator may have to consent",
  ]),
  ...all(["65004"], () => ["The consent was refused", `${CONNECT_AGAIN}, and accept`]),
  ...all(["70011", "1002012", "28002", "28003", "650053", "650057", "65005"], (kind) => [
    "The application may not ask for the permission to send mail",
    `Add ${PERMISSION[kind === "oauthClientCredentials" ? "app" : "person"]} to the app ` +
    "registration, and grant consent",
  ]),
  ...all(["500011", "500014"], () => [
    "This tenant has no Exchange Online",
    "Check the tenant: it must be the one of the mailbox",
  ]),
  ...all(
    ["700082", "70008", "700084", "50173", "70043", "50132", "50133", "50055", "70000"],
    () => [
      "The consent has expired, or was revoked",
      CONNECT_AGAIN,
    ],
  ),
  ...all([
    "50076",
    "50079",
    "50074",
    "50078",
    "53003",
    "53000",
    "53001",
    "530032",
    "50158",
    "50072",
  ], () => [
    "The tenant asks for another step of the sign-in (multi-factor or conditional access)",
    `${CONNECT_AGAIN}. If that does not help, the administrator must exempt the application`,
  ]),
  ...all(["50034", "50057", "51004", "50020"], () => [
    "The account does not exist in this tenant, or is disabled",
    "Check the user at the provider, and give consent again",
  ]),
  ...all(["50011", "500112", "500113"], () => [
    "The application does not know the address of this dashboard",
    "Add the redirect URI that the integration shows to the app registration, as platform Web",
  ]),
  ...all(["54005", "501481"], () => [
    "The sign-in has expired, or was used before",
    CONNECT_AGAIN,
  ]),
};

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

const BY_ERROR: Readonly<Record<string, (kind: Kind) => Words>> = {
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
  { provider, kind }: { provider: OauthProvider; kind: Kind },
): OauthFailure | undefined {
  const aadsts = /\bAADSTS(\d{4,8})\b/.exec(answer.description)?.[1];
  const ofCode = aadsts === undefined ? undefined : own(BY_AADSTS, aadsts)?.(kind);
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

function all(codes: readonly string[], words: (kind: Kind) => Words) {
  return Object.fromEntries(codes.map((code) => [code, words]));
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
