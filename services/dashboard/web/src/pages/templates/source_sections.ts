import type { TemplateBody, TemplateSource } from "../../../../interface/templates.ts";
import { isMjml } from "./is_mjml.ts";

/** A piece of a template, as text. */
export interface SourceSection {
  /** Its name, with the tag of the language if that is not the default. */
  name: string;
  /** The same in both sources, however it is called. */
  id: string;
  text: string;
  language: "html" | "text" | "json";
}

/** A piece that differs between two sources. */
export interface ChangedSection extends Omit<SourceSection, "text" | "id"> {
  before: string;
  after: string;
}

/** Returns all sections of a source; those that authors change most come first. */
export function sourceSections(source: TemplateSource): SourceSection[] {
  const { variants = {}, variables, locale, page, sample } = source;
  const tags = Object.keys(variants).sort();
  const isEmail = page === null;
  const bodies = tags.flatMap((tag) => {
    const body = variants[tag];
    return body === undefined ? [] : bodySections(body, { isEmail, tag });
  });
  return [
    ...bodySections(source, { isEmail, tag: null }),
    ...bodies,
    ...isEmail ? [] : [section("Page setup", json(page), "json")],
    section("Variables", json(variables), "json"),
    section("Language", [locale, ...tags].join("\n"), "text"),
    section("Sample data", json(sample), "json"),
  ];
}

function bodySections(
  { subject, html, text, filename, invoice = "" }: TemplateBody,
  { isEmail, tag }: { isEmail: boolean; tag: string | null },
): SourceSection[] {
  const code = section(isMjml(html) ? "MJML" : "HTML", html, "html");
  const sections = isEmail
    ? [
      section("Subject", subject, "text"),
      { ...code, id: "HTML" },
      section("Text", text, "text"),
    ]
    : [
      { ...code, id: "HTML" },
      section("File name", filename, "text"),
      section("Invoice XML", invoice, "html"),
    ];
  if (tag === null) return sections;
  return sections.map((one) => ({ ...one, id: `${tag} ${one.id}`, name: `${one.name} (${tag})` }));
}

function section(name: string, text: string, language: SourceSection["language"]): SourceSection {
  return { name, id: name, text, language };
}

/** Returns the sections in which two sources differ. */
export function changedSections(before: TemplateSource, after: TemplateSource): ChangedSection[] {
  const old = new Map(sourceSections(before).map((section) => [section.id, section]));
  const now = new Map(sourceSections(after).map((section) => [section.id, section]));
  return [...new Map([...now, ...old])].flatMap(([id, { name, language }]) => {
    const was = old.get(id)?.text ?? "";
    const text = now.get(id)?.text ?? "";
    const shown = now.get(id)?.name ?? name;
    return was === text ? [] : [{ name: shown, before: was, after: text, language }];
  });
}

/** Returns whether two sources are equal, regardless of the order of the fields in their JSON. */
export function isSameSource(a: TemplateSource, b: TemplateSource): boolean {
  return changedSections(a, b).length === 0;
}

/** Returns the same text for equal values, regardless of the order of fields. */
function json(value: unknown): string {
  return JSON.stringify(value, sorted, 2) ?? "";
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
