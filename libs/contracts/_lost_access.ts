/**
 * What a request must have: each scheme of authentication with all of its scopes. An empty object is a request
 * without authentication.
 */
type Requirement = Readonly<Record<string, readonly string[]>>;

/** Who may use an operation: those who have one of these. None at all means everybody. */
interface Secured {
  security?: readonly Requirement[];
}

/** The part of an OpenAPI document that says who may use which operation. */
export interface SecuredDocument extends Secured {
  paths?: Readonly<Record<string, Readonly<Record<string, Secured>>>>;
}

/** Lists the requirements that sufficed for an operation before and no longer do. */
export function lostAccess(before: SecuredDocument, after: SecuredDocument): string[] {
  return Object.entries(before.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const later = after.paths?.[path]?.[method];
      if (later === undefined) return [];
      const accepted = requirementsOf(later, after);
      return requirementsOf(operation, before)
        .filter((requirement) => !accepted.some((each) => isWithin(each, requirement)))
        .map((each) =>
          `/paths/${path}/${method}/security: ${JSON.stringify(each)} no longer suffices`
        );
    })
  );
}

/** An operation without requirements has those of its document. */
function requirementsOf(operation: Secured, document: SecuredDocument): readonly Requirement[] {
  const { security = document.security ?? [] } = operation;
  return security.length === 0 ? [{}] : security;
}

/** Returns whether a request with all of `held` has all that is needed. */
function isWithin(needed: Requirement, held: Requirement): boolean {
  return Object.entries(needed).every(([scheme, scopes]) => {
    const granted = held[scheme];
    return granted !== undefined && scopes.every((scope) => granted.includes(scope));
  });
}
