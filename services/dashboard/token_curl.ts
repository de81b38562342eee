import type { TokenScope, User, VariableDeclaration, Variables } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { integrationForExamples } from "./templates/template_view.ts";

/** A token, with its account and rights. */
export interface TokenUse {
  accountId: string;
  user: Pick<User, "email">;
  scopes: readonly TokenScope[];
  /** The token. */
  text: string;
}

/** What {@linkcode tokenCurl} needs. */
export interface TokenCurlDeps {
  store: StorePart<
    "drafts.find" | "templates.findVersion" | "templates.list" | "integrations.list"
  >;
  /** Base of the HTTP interface. */
  apiUrl: string;
}

/**
 * Returns a shell command that tries a new token: a mail to the caller through the account's first
 * integration, or a rendered template. Returns null if nothing is published, there is no
 * integration, or the token may only read.
 */
export async function tokenCurl(use: TokenUse, deps: TokenCurlDeps): Promise<string | null> {
  const { accountId, scopes, user } = use;
  const { store, apiUrl } = deps;
  const templates = await store.templates.list(accountId, "email");
  const template = templates.find(({ publishedVersion }) => publishedVersion !== null);
  if (template === undefined || template.publishedVersion === null) return null;
  const { id, publishedVersion } = template;
  const version = await store.templates.findVersion(accountId, "email", id, publishedVersion);
  const draft = await store.drafts.find(template);
  const variables = valuesFor(version?.variables ?? [], draft?.source.sample ?? {});
  const integration = integrationForExamples(await store.integrations.list(accountId));
  const sender = integration?.senders[0];
  if (scopes.includes("send") && integration !== undefined && sender !== undefined) {
    const body = { from: { email: sender }, to: [{ email: user.email, ...variables }] };
    const url = `${apiUrl}/templates/${id}/send/${integration.id}`;
    return curlOf({ url, body, token: use.text });
  }
  if (!scopes.includes("render")) return null;
  const body = { variables: {}, ...variables };
  return curlOf({ url: `${apiUrl}/templates/${id}/render`, body, token: use.text });
}

/** Returns the sample's values; required variables that it lacks get their own names. */
function valuesFor(
  declared: readonly VariableDeclaration[],
  sample: Variables,
): { variables?: object } {
  const required = declared.filter(({ required }) => required).map(({ name }) => [name, name]);
  const variables = { ...Object.fromEntries(required), ...sample };
  return Object.keys(variables).length === 0 ? {} : { variables };
}

function curlOf({ url, body, token }: { url: string; body: unknown; token: string }): string {
  return [
    `curl ${quoted(url)}`,
    `  -H ${quoted(`Authorization: Bearer ${token}`)}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n");
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
