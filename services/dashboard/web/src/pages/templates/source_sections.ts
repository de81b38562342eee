import type { TemplateSource } from "../../../../interface/templates.ts";
import { isMjml } from "./is_mjml.ts";

/** A piece of a template, as text. */
export interface SourceSection {
  name: string;
  text: string;
  language: "html" | "text" | "json";
}

/** A piece that differs between two sources. */
export interface ChangedSection extends Omit<SourceSection, "text"> {
  before: string;
  after: string;
}

/** Returns all sections of a source; those that authors change most come first. */
export function sourceSections(source: TemplateSource): SourceSection[] {
  const { subject, html, text, filename, invoice = "", variables, locale, page, sample } = source;
  const isEmail = page === null;
  return [
    ...isEmail ? [{ name: "Subject", text: subject, language: "text" as const }] : [],
    { name: isMjml(html) ? "MJML" : "HTML", text: html, language: "html" },
    ...isEmail
      ? [{ name: "Text", text, language: "text" as const }]
      : [{ name: "File name", text: filename, language: "text" as const }],
    ...isEmail ? [] : [
      { name: "Invoice XML", text: invoice, language: "html" as const },
      { name: "Page setup", text: json(page), language: "json" as const },
    ],
    { name: "Variables", text: json(variables), language: "json" },
    { name: "Language", text: locale, language: "text" },
    { name: "Sample data", text: json(sample), language: "json" },
  ];
}

/** Returns the sections in which two sources differ. */
export function changedSections(before: TemplateSource, after: TemplateSource): ChangedSection[] {
  const old = sourceSections(before);
  return sourceSections(after).flatMap(({ name, text, language }, index) => {
    const was = old[index]?.text ?? "";
    return was === text ? [] : [{ name, before: was, after: text, language }];
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
