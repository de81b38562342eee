import { lostAccess, type SecuredDocument } from "./_lost_access.ts";

/** Texts for people: they may change. */
const FREE = ["description", "summary", "title", "info", "default", "servers"];

/** Parts of a schema by which a request can be wrong. */
const CONDITIONS = [
  ...["type", "const", "enum", "format", "pattern", "minLength", "maxLength", "not"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"],
  ...["anyOf", "oneOf", "allOf"],
];

/**
 * Lists what an earlier OpenAPI document promised and a later one lacks: removed paths, answers, fields,
 * types and codes, and changed limits. Also what a request must newly fulfil: required fields, limits, a body
 * and scopes. It is the same to have a part in place and to refer to it.
 */
export function removalsOf(before: unknown, after: unknown): string[] {
  const [promised, later] = [promisesOf(before), comparable(after)];
  return [...removals(promised, later, ""), ...lostAccess(promised, later)];
}

/** What `removalsOf()` compares of an OpenAPI document: `paths`, `webhooks` and others. */
export interface Promises extends SecuredDocument {
  components: { schemas: Record<string, unknown>; securitySchemes: unknown };
}

/**
 * Returns what `removalsOf()` compares of an earlier document. It has no texts for people and no references to
 * whole parts: the parts are in their places.
 */
export function promisesOf(document: unknown): Promises {
  const { components, ...rest } = comparable(document);
  const text = JSON.stringify(rest);
  const compared = Object.entries(components.schemas).filter(([name]) =>
    text.includes(`"$ref":"#/components/schemas/${name}"`)
  );
  return { ...rest, components: { ...components, schemas: Object.fromEntries(compared) } };
}

/** References are followed first: only in its place is it clear whether a key is the name of a field. */
function comparable(document: unknown): Promises {
  return withoutTexts(withoutReferences(document), "") as Promises;
}

/** Returns a part of a document without texts. Keys directly below `properties` are names of fields. */
function withoutTexts(part: unknown, key: string): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutTexts(each, ""));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).filter(([name]) => key === "properties" || !FREE.includes(name))
      .map(([name, each]) => [name, withoutTexts(each, name)]),
  );
}

/**
 * Puts into a document what its parts refer to. References with more beside them stay: those are schemas,
 * which are compared by their name. Of shared parts, only schemas and ways to authenticate stay.
 */
function withoutReferences(document: unknown): Promises {
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (typeof part !== "object" || part === null) return part;
    const [[key, value] = [], ...others] = Object.entries(part);
    if (key === "$ref" && others.length === 0) return resolve(findPart(document, String(value)));
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, resolve(each)]));
  };
  const { components, ...rest } = resolve(document) as {
    components?: Partial<Promises["components"]>;
  };
  const { schemas = {}, securitySchemes = {} } = components ?? {};
  return { ...rest, components: { securitySchemes, schemas } };
}

/** Returns what a reference such as `#/components/responses/internal` is about. */
function findPart(document: unknown, reference: string): unknown {
  return reference.split("/").slice(1).reduce<unknown>(
    (part, name) => (part as Record<string, unknown> | undefined)?.[name],
    document,
  );
}

function removals(before: unknown, after: unknown, path: string): string[] {
  if (Array.isArray(before)) return removedItems(before, after, path);
  if (typeof before !== "object" || before === null) {
    const isWider = before === true && BODY_REQUIRED.test(path);
    return before === after || isWider ? [] : [`${path}: ${show(before)} became ${show(after)}`];
  }
  if (typeof after !== "object" || after === null) return [`${path} is gone`];
  const later = after as Record<string, unknown>;
  return [
    ...newlyRequired(before, later, path),
    ...newConditions(before, later, path),
    ...Object.entries(before).flatMap(([key, value]) =>
      key === "security" && (path === "" || OPERATION.test(path))
        ? []
        : key in later
        ? removals(value, later[key], `${path}/${key}`)
        : key === "required" && isInRequest(path)
        ? []
        : [`${path}/${key} is gone`]
    ),
  ];
}

function removedItems(before: readonly unknown[], after: unknown, path: string): string[] {
  const later = Array.isArray(after) ? after : [];
  // A field of a request may become optional; a field of an answer may not.
  if (path.endsWith("/required") && isInRequest(path)) return [];
  return before.flatMap((item, index) => {
    if (typeof item !== "object" || item === null) {
      return later.includes(item) ? [] : [`${path}: ${show(item)} is gone`];
    }
    const { name } = item as { name?: unknown };
    const same = name === undefined ? later[index] : later.find((each) => each?.name === name);
    return removals(item, same, `${path}/${String(name ?? index)}`);
  });
}

function newlyRequired(before: object, after: Record<string, unknown>, path: string): string[] {
  if (!isInRequest(path) || !("properties" in after)) return [];
  const listOf = (schema: object) => "required" in schema ? schema.required as string[] : [];
  return listOf(after).filter((name) => !listOf(before).includes(name))
    .map((name) => `${path}/required: "${name}" is new`);
}

function newConditions(before: object, after: Record<string, unknown>, path: string): string[] {
  const isNew = (key: string) => key in after && !(key in before);
  if (OPERATION.test(path)) {
    const { requestBody } = after as { requestBody?: { required?: boolean } };
    const hasBody = isNew("requestBody") && requestBody?.required === true;
    return hasBody ? [`${path}/requestBody is new`] : [];
  }
  // The keys of `properties` are names of fields.
  if (!isSchemaOfRequest(path) || path.endsWith("/properties")) return [];
  const isClosed = isNew("additionalProperties") && after["additionalProperties"] === false;
  return [
    ...CONDITIONS.filter(isNew).map((key) => `${path}/${key} is new`),
    ...(isClosed ? [`${path}/additionalProperties became false`] : []),
  ];
}

/** Whether a request must have a body: that may end. */
const BODY_REQUIRED = /^\/paths\/.*\/requestBody\/required$/;

const OPERATION = /^\/paths\/.*\/(get|post|put|patch|delete)$/;

function isSchemaOfRequest(path: string): boolean {
  return (isInRequest(path) || path.includes("/parameters/")) && path.includes("/schema");
}

/** Returns whether clients write what is at a path. They read the bodies of webhooks. */
function isInRequest(path: string): boolean {
  return path.includes("/requestBody/") && !path.startsWith("/webhooks/");
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
