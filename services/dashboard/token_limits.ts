import type { Template } from "@posthaste/contracts";
import type { Actor } from "./actor.ts";
import { HttpError } from "./http_error.ts";

type Limited = Pick<Actor, "token">;
type TemplateId = Pick<Template, "kind" | "id">;

/** Returns whether an actor may see a template. The limit of a token names only email templates. */
export function mayUseTemplate({ token }: Limited, { kind, id }: TemplateId): boolean {
  const { templates = [] } = token ?? {};
  return templates.length === 0 || kind === "email" && templates.includes(id);
}

/** Returns whether an actor may see an integration. */
export function mayUseIntegration({ token }: Limited, id: number): boolean {
  const { integrations = [] } = token ?? {};
  return integrations.length === 0 || integrations.includes(id);
}

/**
 * Refuses a template that a token must not use.
 *
 * @throws {HttpError} `missing_scope`
 */
export function requireTemplate(actor: Limited, template: TemplateId): void {
  if (!mayUseTemplate(actor, template)) throw notFor(`${template.kind} template ${template.id}`);
}

/**
 * Refuses an integration that a token must not use.
 *
 * @throws {HttpError} `missing_scope`
 */
export function requireIntegration(actor: Limited, id: number): void {
  if (!mayUseIntegration(actor, id)) throw notFor(`integration ${id}`);
}

/** Returns whether an actor may use everything of a kind. */
export function isUnlimited({ token }: Limited, kind: "templates" | "integrations"): boolean {
  return token === null || token[kind].length === 0;
}

/**
 * Refuses to create a template or an integration by a token that is limited to some of them.
 *
 * @throws {HttpError} `missing_scope`
 */
export function requireUnlimited(actor: Limited, kind: "templates" | "integrations"): void {
  if (isUnlimited(actor, kind)) return;
  throw new HttpError("missing_scope", `Cannot use this token here: it is limited to some ${kind}`);
}

/**
 * Refuses what concerns all templates and integrations of an account, by a token that is limited to some.
 *
 * @throws {HttpError} `missing_scope`
 */
export function requireWholeAccount(actor: Limited): void {
  requireUnlimited(actor, "templates");
  requireUnlimited(actor, "integrations");
}

/**
 * Refuses a token an action that only people may do.
 *
 * @throws {HttpError} `people_only`
 */
export function requirePerson({ token }: Limited, what: string): void {
  if (token === null) return;
  throw new HttpError("people_only", `Tokens cannot ${what}: do it in the dashboard`);
}

function notFor(what: string): HttpError {
  return new HttpError("missing_scope", `Cannot use this token here: ${what} is not allowed`);
}
