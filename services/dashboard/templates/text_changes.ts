import { isDeepStrictEqual } from "node:util";
import { bodiesOf, type BodySource, type DraftSource } from "@posthaste/contracts";
import type { Actor } from "../actor.ts";
import { HttpError } from "../http_error.ts";
import type { TemplateView } from "../interface/templates.ts";
import { allowedValues } from "../texts/allowed_values.ts";
import { changedBeyondTexts } from "../texts/changed_texts.ts";
import { plainTextFault } from "../texts/text_fault.ts";
import { sourceSchema } from "./template_input.ts";

/** Returns whether the caller is a person who may change nothing but texts. */
export function changesTextsOnly({ person }: Pick<Actor, "person">): boolean {
  return person?.role === "texts";
}

/** Returns a template as the caller may see it: who changes texts only learns nothing about integrations. */
export function shownTo(actor: Pick<Actor, "person">, view: TemplateView): TemplateView {
  if (!changesTextsOnly(actor)) return view;
  return { ...view, example: { integrationId: null, sender: null, mailedWith: null } };
}

/**
 * Refuses a change of a draft that changes more than subjects and texts, in any language.
 *
 * @throws {HttpError} `not_allowed`.
 */
export function requireTextChange(before: DraftSource, after: DraftSource): void {
  const [old, written] = [read(before), read(after)];
  const bodies = new Map(bodiesOf(written).map(({ tag, body }) => [tag, body]));
  const fault = isDeepStrictEqual(withoutTexts(old), withoutTexts(written))
    ? bodiesOf(old).map(({ tag, body }) => bodyFault(body, bodies.get(tag) ?? body))
      .find((found) => found !== null)
    : "It changes more than texts";
  if (fault === undefined) return;
  throw new HttpError("not_allowed", `You may change texts only. ${fault}`);
}

/** Returns what must stay: all of a source but the texts of its bodies, in each language. */
function withoutTexts({ variants = {}, ...own }: DraftSource) {
  const none = { subject: "", html: "", text: "" };
  const tags = Object.entries(variants).map(([tag, body]) => [tag, { ...body, ...none }]);
  return { ...own, ...none, variants: Object.fromEntries(tags) };
}

function bodyFault(before: BodySource, after: BodySource): string | null {
  const values = allowedValues([before.subject, before.html, before.text]);
  return plainFault(before.subject, after.subject, values) ??
    plainFault(before.text, after.text, values) ??
    changedBeyondTexts(before.html, after.html, values);
}

function plainFault(before: string, after: string, values: ReadonlySet<string>): string | null {
  return before === after ? null : plainTextFault(after, { before, values });
}

/** A stored draft may lack defaults that were added since. */
function read(source: DraftSource): DraftSource {
  const { data = source } = sourceSchema.safeParse(source);
  return JSON.parse(JSON.stringify(data));
}
