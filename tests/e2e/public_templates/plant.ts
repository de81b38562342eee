import type { DraftSource } from "@posthaste/contracts";
import {
  type HtmlAttribute,
  type HtmlTag,
  type LintInput,
  type LintRule,
  tagsOf,
  templateAssets,
  templateVariables,
} from "@posthaste/templating";
import { sampleOf } from "./sample_of.ts";

/** A whole real template, and its tags. */
export interface RealTemplate {
  name: string;
  kind: "email" | "pdf";
  html: string;
  tags: readonly HtmlTag[];
}

/** A fault in a whole template. */
export interface Planted {
  rule: LintRule;
  /** Of the fault; null for one of the whole. */
  line: number | null;
  before: LintInput;
  after: LintInput;
}

/** What a template gets instead of what it has. */
export interface Overrides extends Partial<Omit<LintInput, "source">> {
  source?: Partial<DraftSource>;
}

/** The most places of one kind in a template that get a fault. */
const MAX_PLACES = 3;

/** Returns a template as it is linted, with a sample of everything that it reads. */
export function inputOf(
  { kind, html, sampled = html }: { kind: RealTemplate["kind"]; html: string; sampled?: string },
  { source, ...rest }: Overrides = {},
): LintInput {
  const texts = { subject: kind === "email" ? "Your order" : "", filename: "a.pdf", text: "" };
  const paths = templateVariables({ html: sampled }).flatMap(({ paths }) => paths);
  const sample = sampleOf(paths) as DraftSource["sample"];
  const assets = templateAssets(html).map((use) => ({ ...use, asset: null }));
  return {
    kind,
    source: { ...texts, html, locale: "en", variables: [], page: null, sample, ...source },
    variables: templateVariables({ html }),
    missing: [],
    ...(kind === "email" ? { output: { subject: "Your order", html, text: "" } } : {}),
    assets,
    ...rest,
  };
}

/** Reads a template. Tags in comments, and the defaults of MJML, are not among its tags. */
export function readTemplate({ name, kind, html }: Omit<RealTemplate, "tags">): RealTemplate {
  const shown = html.replace(/\{\{!--[^]*?--\}\}|\{\{![^]*?\}\}/g, blank)
    .replace(/<mj-attributes[\s>][^]*?<\/mj-attributes/g, blank);
  return { name, kind, html, tags: [...tagsOf(shown)] };
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

/** Returns the first, the last and one between of many. */
export function someOf<T>(all: readonly T[]): T[] {
  if (all.length <= MAX_PLACES) return [...all];
  return [0, all.length >> 1, all.length - 1].flatMap((at) => all[at] ?? []);
}

/** Returns the position after a start tag. */
export function endOf({ html }: RealTemplate, { start, attributes }: HtmlTag): number {
  return html.indexOf(">", attributes.at(-1)?.end ?? start) + 1;
}

/** Returns the attribute of a tag; its value is in the source as it is here, in quotes. */
export function attributeOf(tag: HtmlTag, name: string): HtmlAttribute | undefined {
  return tag.attributes.find((one) => one.name === name);
}

/** A change of the HTML. */
export interface Change {
  rule: LintRule;
  start: number;
  /** @default start: nothing is replaced */
  end?: number;
  text: string;
  /** Where the finding is expected. @default start */
  at?: number;
  overrides?: Overrides | undefined;
}

/** Returns a template with a change. Its sample has what the whole template reads, and the new text. */
export function changed(
  { kind, html }: RealTemplate,
  { rule, start, end = start, text, at = start, overrides }: Change,
): Planted {
  const after = html.slice(0, start) + text + html.slice(end);
  const sampled = html + text;
  return {
    rule,
    line: lineAt(html, at),
    before: inputOf({ kind, html, sampled }, overrides),
    after: inputOf({ kind, html: after, sampled }, overrides),
  };
}

/** Returns the line of a position, from 1. */
export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
