import { hash } from "node:crypto";
import { promisesOf, shareSchemas } from "@posthaste/contracts";

/** A shorter part takes as much space as a reference to it. */
const MIN_LENGTH = 40;

/**
 * Returns what `removalsOf()` compares of an OpenAPI document, as small as possible: each part that is there
 * several times is below `components.schemas` once, whether it is a schema or not.
 */
export function baselineOf(document: unknown): unknown {
  const promises = promisesOf(document);
  const named = repeatedParts(promises).map((part) => [nameOf(part), part] as const);
  const { part: { components, ...rest }, schemas } = shareSchemas(promises, named);
  return {
    ...rest,
    components: { ...components, schemas: { ...components.schemas, ...schemas } },
  };
}

/** Returns a name that stays when other parts change: then few lines of a baseline change. */
function nameOf(part: object): string {
  return `p${hash("sha256", JSON.stringify(part)).slice(0, 6)}`;
}

/** Returns each object that is more than once in a value, in the order of their first places. */
function repeatedParts(value: unknown): object[] {
  const counts = new Map<string, { part: object; count: number }>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const text = JSON.stringify(part);
    const known = counts.get(text);
    if (known !== undefined) return void known.count++;
    if (text.length >= MIN_LENGTH && !Array.isArray(part)) counts.set(text, { part, count: 1 });
    Object.values(part).forEach(visit);
  };
  visit(value);
  return [...counts.values()].filter(({ count }) => count > 1).map(({ part }) => part);
}
