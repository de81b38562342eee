/**
 * Replaces each occurrence of a named schema in a part of an OpenAPI document by a reference to
 * `#/components/schemas/<name>`. Returns the part, and the schemas that it refers to, in which others are
 * replaced too. A schema that does not occur is left out.
 */
export function shareSchemas<Part>(part: Part, named: Iterable<readonly [string, object]>) {
  const names = new Map([...named].map(([name, schema]) => [JSON.stringify(schema), name]));
  const schemas: Record<string, unknown> = {};
  const refer = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const name = names.get(JSON.stringify(value));
    if (name === undefined) return referWithin(value);
    if (!Object.hasOwn(schemas, name)) schemas[name] = referWithin(value);
    return { $ref: `#/components/schemas/${name}` };
  };
  const referWithin = (value: object): unknown =>
    Array.isArray(value)
      ? value.map(refer)
      : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, refer(each)]));
  return { part: refer(part) as Part, schemas };
}
