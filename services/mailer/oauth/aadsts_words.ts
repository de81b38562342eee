import type { OpenedLogin } from "./opened_login.ts";

/** What was asked for: an access token for a login, or the exchange of a `code`. */
export type LoginKind = OpenedLogin["kind"] | "code";

/** A refusal in words. */
export type Words = readonly [reason: string, remedy: string];

/** The remedy that repeats the consent. */
export const CONNECT_AGAIN = "Give consent again: open the integration and sign in at the provider";

const SECRETS_PAGE = "in the app registration, under Certificates & secrets";
const PERMISSION: Record<"app" | "person", string> = {
  app: "the application permission SMTP.SendAsApp of Office 365 Exchange Online",
  person: "the delegated permission SMTP.Send",
};

const isApp = (kind: LoginKind) => kind === "oauthClientCredentials";
const permissionOf = (kind: LoginKind) => PERMISSION[isApp(kind) ? "app" : "person"];

const WEB_PLATFORM = "In the app registration, under Authentication, remove the redirect URI and " +
  "add it again as platform Web";

const CODE_ENDED: Words = ["The sign-in has expired, or was used before", CONNECT_AGAIN];
const CONSENT_ENDED: Words = ["The consent has expired, or was revoked", CONNECT_AGAIN];

/**
 * Microsoft's codes: https://learn.microsoft.com/entra/identity-platform/reference-error-codes. That page lacks
 * 500014, 500112, 500113, 650053, 900021, 900023, 1002012 and 9002327, which the service returns all the same. It
 * warns that codes may change: unknown ones are judged by `error`.
 */
const BY_CODE: Readonly<Record<string, (kind: LoginKind) => Words>> = {
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
  ...all(
    ["700025"],
    () => ["The application is a public client, which has no secret", WEB_PLATFORM],
  ),
  ...all(["9002327"], () => [
    "The redirect URI is registered as platform Single-page application",
    WEB_PLATFORM,
  ]),
  ...all(["700016", "700011"], () => [
    "The application does not exist in this tenant",
    "Check the client id and the tenant: both are on the overview page of the app registration",
  ]),
  ...all(["7000112", "70001"], () => [
    "The application is disabled",
    "Ask the administrator of the tenant to enable it",
  ]),
  ...all([
    ...["90002", "900023", "50059", "900021", "90019", "50128"],
    // Without a tenant, `common` is asked, which not every application may use.
    ...["50194", "90124", "90130", "9001023"],
  ], () => [
    "The tenant is wrong",
    "Enter the directory (tenant) id from the overview page of the app registration",
  ]),
  ...all(["90038"], () => [
    "The tenant is in a national cloud",
    "Ask the operator to name the token endpoint of that cloud (OAUTH_ENDPOINTS)",
  ]),
  ...all(["65001", "650056", "90094", "90093", "90095"], (kind) => [
    "Consent is missing",
    isApp(kind)
      ? `Add ${PERMISSION.app} to the app registration, and have an administrator grant consent`
      : `Add ${PERMISSION.person} to the app registration, and give consent again. An ` +
        "administrator may have to consent",
  ]),
  ...all(["65004"], () => ["The consent was refused", `${CONNECT_AGAIN}, and accept`]),
  ...all(["70011", "1002012", "28002", "28003", "650053", "650057", "65005"], (kind) => [
    "The application may not ask for the permission to send mail",
    `Add ${permissionOf(kind)} to the app registration, and grant consent`,
  ]),
  ...all(["500011", "650052"], () => [
    "This tenant has no Exchange Online",
    "Check the tenant: it must be the one of the mailbox",
  ]),
  ...all(["500014"], () => [
    "Exchange Online is disabled in this tenant",
    "Ask the administrator of the tenant: a subscription may have ended",
  ]),
  ...all(["70008", "70000"], (kind) => kind === "code" ? CODE_ENDED : CONSENT_ENDED),
  ...all(
    ["700082", "700084", "50173", "70043", "50132", "50133", "50055"],
    () => CONSENT_ENDED,
  ),
  ...all(["50076", "50079", "50074", "50078", "50158", "50072"], () => [
    "The tenant asks for another step of the sign-in (multi-factor or conditional access)",
    `${CONNECT_AGAIN}. If that does not help, the administrator must exempt the application`,
  ]),
  ...all(["53003", "53000", "53001", "53002", "530032", "530035"], (kind) => [
    "A policy of the tenant (Conditional Access, or security defaults) blocks the sign-in",
    "The administrator of the tenant must exempt the application" +
    (isApp(kind) ? "" : ". Then give consent again"),
  ]),
  ...all(["50034", "50057", "51004", "50020"], () => [
    "The account does not exist in this tenant, or is disabled",
    "Check the user at the provider, and give consent again",
  ]),
  ...all(["50105"], () => [
    "The user is not assigned to the application",
    "Ask the administrator to assign the user, under Enterprise applications, Users and groups",
  ]),
  ...all(["50011", "500112", "500113"], () => [
    "The application does not know the address of this dashboard",
    "Add the redirect URI that the integration shows to the app registration, as platform Web",
  ]),
  ...all(["54005"], () => CODE_ENDED),
  ...all(["501481"], () => ["The sign-in belongs to another consent", CONNECT_AGAIN]),
};

/** Faults of the service, and limits of its rate: the same request may succeed later, whatever `error` says. */
const PASSING: ReadonlySet<string> = new Set([
  ...["50033", "50196", "70012", "90006", "90012", "90024", "90033", "90055", "90090"],
]);

/** Returns the words for a code, such as 7000222; `later` if the fault passes, `undefined` if it is unknown. */
export function wordsOfAadsts(code: string, kind: LoginKind): Words | "later" | undefined {
  if (PASSING.has(code)) return "later";
  return Object.hasOwn(BY_CODE, code) ? BY_CODE[code]?.(kind) : undefined;
}

function all(codes: readonly string[], words: (kind: LoginKind) => Words) {
  return Object.fromEntries(codes.map((code) => [code, words]));
}
