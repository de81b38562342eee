import { checkTemplate } from "./check_template.ts";
import { openPlaces } from "./_open_places.ts";
import { translateMandrill } from "./_translate_mandrill.ts";
import { translateMergeTags } from "./_translate_merge_tags.ts";
import { translateMustachio } from "./_translate_mustachio.ts";
import { translateSendgrid } from "./_translate_sendgrid.ts";
import type { Note } from "./_note.ts";
import type { TemplatePart } from "./template_error.ts";

/** A place that a person must check after a translation. */
export interface Untranslated {
  /** From 1, in the original source. */
  line: number;
  column: number;
  /** The original text, cut if it is long. */
  text: string;
  why: string;
}

/** A template in the language of Posthaste, and the parts that could not be translated. */
export interface Translation {
  text: string;
  untranslated: Untranslated[];
}

const TRANSLATORS = {
  postmark: translateMustachio,
  sendgrid: translateSendgrid,
  mandrill: translateMandrill,
  mailchimp: translateMergeTags,
} as const satisfies Record<string, (source: string, note: Note) => string>;

/** A product whose templates can be translated. */
export type TranslatedProduct = keyof typeof TRANSLATORS;

const MAX_NOTES = 200;
const MAX_TEXT = 80;

/**
 * Translates a part of a template of another product. Tags without a counterpart stay as they are and are
 * listed, together with everything that the template check refuses.
 */
export function translateTemplate(
  source: string,
  { product, part = "html" }: { product: TranslatedProduct; part?: TemplatePart },
): Translation {
  const placeOf = openPlaces(source);
  const untranslated: Untranslated[] = [];
  const text = TRANSLATORS[product](source, (at, tag, why) => {
    untranslated.push({ ...placeOf(at), text: cut(tag), why });
  });
  const lines = source.split("\n");
  for (const { line, column, message } of checkTemplate({ [part]: text })) {
    // Tags keep their lines, not their columns.
    if (untranslated.some((one) => one.line === line)) continue;
    untranslated.push({ line, column, text: cut((lines[line - 1] ?? "").trim()), why: message });
  }
  untranslated.sort((a, b) => a.line - b.line || a.column - b.column);
  return { text, untranslated: untranslated.slice(0, MAX_NOTES) };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
