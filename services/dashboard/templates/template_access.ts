import type { Template, TemplateDraft, TemplateKind } from "@posthaste/contracts";
import { NameTakenError } from "@posthaste/storage";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { audit } from "../audit.ts";
import type { TemplateView } from "../interface/templates.ts";
import { HttpError } from "../http_error.ts";
import type { Actor } from "../actor.ts";
import { requireTemplate } from "../token_limits.ts";
import { openLastUses } from "./last_uses.ts";
import { openDraft } from "./open_draft.ts";
import { changedMeanwhile } from "./publish_draft.ts";
import { templateView, type ViewDeps } from "./template_view.ts";

/** Operations that the routes of templates share. */
export interface TemplateAccess extends ViewDeps {
  /**
   * Finds a template of the actor's account.
   *
   * @throws {HttpError} `not_found`, also if it is archived or another account's; `missing_scope`
   * if the actor's token is for others.
   */
  find(actor: Actor, kind: TemplateKind, id: string): Promise<Template>;
  /**
   * Returns a template's draft, if it has this revision.
   *
   * @throws {HttpError} `conflict` if another user changed it.
   */
  draftAt(template: Template, revision: number): Promise<TemplateDraft>;
  /** Returns the current view of a template. */
  view(template: Pick<Template, "accountId" | "kind" | "id">): Promise<TemplateView>;
  /** Writes an actor's action on a template to the audit log. */
  note(
    actor: Actor,
    verb: string,
    { template, details }: {
      template: Template;
      details?: Record<string, string | number | boolean | null>;
    },
  ): Promise<void>;
}

/** Opens the operations that the routes of templates share. */
export function openTemplateAccess(
  { store, now }: Pick<DashboardDeps, "store" | "now">,
): TemplateAccess {
  const lastUses = openLastUses({ ...store, now });
  const views = { store, lastUses };

  async function find(actor: Pick<Actor, "accountId" | "token">, kind: TemplateKind, id: string) {
    const template = /^[1-9]\d{0,14}$/.test(id)
      ? await store.templates.find(actor.accountId, kind, id)
      : null;
    if (template === null) throw new HttpError("not_found", `There is no template ${id}`);
    requireTemplate(actor, template);
    return template;
  }

  return {
    ...views,
    find,
    async draftAt(template, revision) {
      const draft = await openDraft(template, store);
      if (draft.revision !== revision) throw changedMeanwhile();
      return draft;
    },
    view: async ({ accountId, kind, id }) =>
      await templateView(await find({ accountId, token: null }, kind, String(id)), views),
    async note(actor, verb, { template, details = {} }) {
      const { kind, id, name } = template;
      const target = `${kind === "pdf" ? "PDF" : kind} template ${id} (${name})`;
      await audit({ ...store, now }, actor, { action: `template.${verb}`, target, details });
    },
  };
}

/** Turns the error for a taken alias into one for people. */
export async function unlessTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NameTakenError)) throw error;
    throw new HttpError("name_taken", "Another template has this alias", {
      issues: [{ path: "alias", message: "is already used" }],
    });
  }
}
