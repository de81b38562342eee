import {
  bodiesOf,
  type BodySource,
  BRAND,
  type DraftSource,
  type Includes,
  type Pinned,
} from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { calledPartials, readsBrand, TEMPLATE_LIMITS } from "@posthaste/templating";
import { HttpError } from "../http_error.ts";

/** Together with the template, they must fit into one document of the database. */
const { characters: MAX_CHARACTERS } = TEMPLATE_LIMITS.partials;

/** Returns the names of what a source may include: partials that it calls, and the brand. */
function calledIn(source: string): string[] {
  const names = calledPartials(source);
  return readsBrand(source) ? [...names, BRAND] : names;
}

/** A source, and partials to use instead of the published ones. */
export interface Reaching {
  source: DraftSource;
  instead?: readonly Pinned[];
}

/**
 * Finds the published partials that a source reaches, directly or through others. Unknown ones are left out:
 * the renderer finds their places.
 *
 * @throws {HttpError} `template_failed` if they are too large together.
 */
export async function reachedIncludes(
  accountId: string,
  { source, instead = [] }: Reaching,
  { partials }: StorePart<"partials.published">,
): Promise<Pinned[]> {
  const reached: Pinned[] = [];
  const seen = new Set<string>();
  let characters = 0;
  let names = calledIn(bodiesOf(source).map(({ body }) => textOf(body)).join("\n"));
  while (names.length > 0) {
    for (const name of names) seen.add(name);
    const given = instead.filter(({ name }) => names.includes(name));
    const rest = names.filter((name) => given.every((one) => one.name !== name));
    const found = rest.length === 0 ? [] : await partials.published(accountId, rest);
    const level = [...given, ...found];
    reached.push(...level);
    characters += level.reduce((sum, { source }) => sum + source.length, 0);
    if (characters > MAX_CHARACTERS) {
      const error = `The partials have more than ${MAX_CHARACTERS} characters together`;
      throw new HttpError("template_failed", error);
    }
    names = [...new Set(level.flatMap(({ source }) => calledIn(source)))]
      .filter((name) => !seen.has(name));
  }
  return reached;
}

function textOf({ subject, html, text, filename, invoice = "" }: BodySource): string {
  return [subject, html, text, filename, invoice].join("\n");
}

/** Returns the partials, without the brand, that are in a body by its `names`. */
export function partialsOf(
  includes: readonly Pinned[],
  { partials: names = [] }: { partials?: readonly string[] | undefined },
): Pinned[] {
  return includes.filter(({ name }) => name !== BRAND && names.includes(name));
}

/** Returns partials and brand in the form that the renderer takes. */
export function includesOf(reached: readonly Pinned[]): Includes {
  const brand = reached.find(({ name }) => name === BRAND);
  const partials = reached.filter(({ name }) => name !== BRAND);
  return {
    partials: Object.fromEntries(partials.map(({ name, source }) => [name, source])),
    ...(brand === undefined ? {} : { brand: JSON.parse(brand.source) }),
  };
}
