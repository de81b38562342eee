import { isDeepStrictEqual } from "node:util";
import type { DraftSource } from "@posthaste/contracts";
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
 * Refuses a change of a draft that changes more than its subject and its texts.
 *
 * @throws {HttpError} `not_allowed`.
 */
export function requireTextChange(before: DraftSource, after: DraftSource): void {
  const { subject, html, text, ...rest } = read(before);
  const { subject: newSubject, html: newHtml, text: newText, ...newRest } = read(after);
  const values = allowedValues([subject, html, text]);
  const fault = isDeepStrictEqual(rest, newRest)
    ? plainFault(subject, newSubject, values) ?? plainFault(text, newText, values) ??
      changedBeyondTexts(html, newHtml, values)
    : "It changes more than texts";
  if (fault === null) return;
  throw new HttpError("not_allowed", `You may change texts only. ${fault}`);
}

function plainFault(before: string, after: string, values: ReadonlySet<string>): string | null {
  return before === after ? null : plainTextFault(after, { before, values });
}

/** A stored draft may lack defaults that were added since. */
function read(source: DraftSource): DraftSource {
  const { data = source } = sourceSchema.safeParse(source);
  return JSON.parse(JSON.stringify(data));
}
