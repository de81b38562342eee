/** An operation of an OpenAPI document: the scopes that its tokens need. None means any token. */
interface Operation {
  "x-scopes"?: readonly string[];
}

/** The operations of an OpenAPI document by their path and method. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/**
 * Lists the changes of scopes by which a token that was enough for an operation may be too little for it: of
 * scopes that are needed together, each new one; of scopes of which one is enough, each one that is gone.
 *
 * @param needs Whether a token needs one of an operation's scopes, or all of them.
 */
export function lostScopes(before: Operations, after: Operations, needs: "or" | "and"): string[] {
  return Object.entries(before).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const later = after[path]?.[method];
      if (later === undefined) return [];
      const place = `/paths/${path}/${method}/x-scopes`;
      return changesOf(scopesOf(operation), scopesOf(later), needs)
        .map((change) => `${place}: ${change}`);
    })
  );
}

function changesOf(
  before: readonly string[],
  after: readonly string[],
  needs: "or" | "and",
): string[] {
  if (after.length === 0) return [];
  if (before.length === 0 || needs === "and") {
    return missing(after, before).map((scope) => `"${scope}" is new`);
  }
  return missing(before, after).map((scope) => `"${scope}" is gone`);
}

function missing(all: readonly string[], from: readonly string[]): string[] {
  return all.filter((scope) => !from.includes(scope));
}

function scopesOf({ "x-scopes": scopes = [] }: Operation): readonly string[] {
  return scopes;
}
