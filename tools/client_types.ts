/**
 * Writes `client/types.ts` and `client/operations.ts` out of `docs/openapi.json`; with `--check` it only
 * reports whether a file is stale.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { docComment, propertyKey, typeOfSchema } from "@posthaste/cli/type_of_schema";

const ROOT = new URL("../", import.meta.url);
const HEAD = `// Written by tools/client_types.ts out of docs/openapi.json.
// deno-fmt-ignore-file
`;
/** Numbers in the text of a parameter. */
const DIGITS = "^[1-9]\\d";

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: { type?: unknown; format?: string; pattern?: string; enum?: unknown[] };
}

interface Schema {
  type?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

/** Returns the text of `client/types.ts`. */
function typesFile(routes: readonly Route[]): string {
  const named = routes.flatMap(({ operation }) => namedTypes(operation));
  const lines = routes.map(({ operation }) => operationType(operation));
  return `${HEAD}
${named.join("\n\n")}

/** The input and output of each operation. */
export interface Operations {
${lines.join("\n")}
}
`;
}

/** Returns the text of `client/operations.ts`. */
function operationsFile(routes: readonly Route[]): string {
  const lines = routes.map(({ method, path, operation }) => {
    const { operationId, parameters = [] } = operation;
    const flags = [
      ...(parameters.some(({ name }) => name === "Idempotency-Key") ? ["key"] : []),
      ...(isJson(answerOf(operation).mediaType) ? [] : ["bytes"]),
    ];
    const route = [method.toUpperCase(), path, ...flags].map((each) => JSON.stringify(each));
    return `  ${operationId}: [${route.join(", ")}],`;
  });
  return `${HEAD}
/**
 * Method and path of each operation. \`key\`: takes an \`Idempotency-Key\`; \`bytes\`: answers something
 * else than JSON.
 */
export const OPERATIONS = {
${lines.join("\n")}
} as const;
`;
}

function namedTypes(operation: Operation): string[] {
  const { operationId, parameters = [], requestBody } = operation;
  const name = capital(operationId);
  const query = parameters.filter((each) => each.in === "query");
  const body = requestBody?.content["application/json"]?.schema;
  const { mediaType, schema } = answerOf(operation);
  const item = itemOf(schema);
  return [
    ...(query.length === 0 ? [] : [
      declare(`${name}Query`, `Parameters of \`${operationId}\``, queryType(query)),
    ]),
    ...(body === undefined ? [] : [
      declare(`${name}Body`, `Body of \`${operationId}\``, typeOfSchema(body, { loose: true })),
    ]),
    ...(item === undefined ? [] : [
      declare(`${name}Item`, `One of \`${operationId}\``, typeOfSchema(item, { open: true })),
    ]),
    declare(
      `${name}Answer`,
      operation.summary,
      !isJson(mediaType)
        ? "Uint8Array<ArrayBuffer>"
        : item === undefined
        ? typeOfSchema(schema, { open: true })
        : pageType(schema, `${name}Item`),
    ),
  ];
}

function operationType(operation: Operation): string {
  const { operationId, summary, parameters = [], requestBody } = operation;
  const name = capital(operationId);
  const path = parameters.filter((each) => each.in === "path");
  const hasQuery = parameters.some((each) => each.in === "query");
  const needsBody = requestBody?.required === true;
  const fields = [
    ...(path.length === 0 ? [] : [
      `path: { ${path.map((each) => `${propertyKey(each.name)}: string | number`).join("; ")} }`,
    ]),
    ...(hasQuery ? [`query?: ${name}Query`] : []),
    ...(requestBody === undefined ? [] : [`body${needsBody ? "" : "?"}: ${name}Body`]),
    `answer: ${name}Answer`,
  ];
  return `  ${docComment(summary)}\n  ${operationId}: { ${fields.join("; ")} };`;
}

function queryType(parameters: readonly Parameter[]): string {
  const lines = parameters.map(({ name, required, schema }) => {
    const mark = required ? "" : "?";
    const more = required ? "" : " | undefined";
    return `  ${propertyKey(name)}${mark}: ${parameterType(schema)}${more};`;
  });
  return ["{", ...lines, "}"].join("\n");
}

function parameterType(schema: Parameter["schema"]): string {
  const type = typeOfSchema(schema);
  if (schema.format === "date-time") return `${type} | Date`;
  if (schema.pattern?.startsWith(DIGITS)) return `${type} | number`;
  const isBoolean = schema.enum?.every((each) => each === "true" || each === "false");
  return isBoolean ? `${type} | boolean` : type;
}

/** Returns the schema of the items of a page, if the answer is one. */
function itemOf({ properties }: Schema): Schema | undefined {
  return properties?.["next"] === undefined ? undefined : properties["data"]?.items;
}

function pageType({ properties = {}, required = [] }: Schema, item: string): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = name === "data" ? `${item}[]` : typeOfSchema(schema, { open: true });
    return `  ${propertyKey(name)}${required.includes(name) ? "" : "?"}: ${type};`;
  });
  return ["{", ...lines, "}"].join("\n");
}

function answerOf({ responses }: Operation): { mediaType: string; schema: Schema } {
  const done = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const [mediaType = "application/json", { schema } = { schema: {} }] =
    Object.entries(done?.content ?? {})[0] ?? [];
  return { mediaType, schema };
}

function declare(name: string, comment: string, type: string): string {
  return `${docComment(comment)}\nexport type ${name} = ${type};`;
}

function isJson(mediaType: string): boolean {
  return /[/+]json\b/.test(mediaType);
}

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

const { paths } = JSON.parse(await readFile(new URL("docs/openapi.json", ROOT), "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
};
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation }))
);
const written = {
  "client/types.ts": typesFile(routes),
  "client/operations.ts": operationsFile(routes),
};
for (const [file, text] of Object.entries(written)) {
  const url = new URL(file, ROOT);
  if (!process.argv.includes("--check")) {
    await writeFile(url, text);
  } else if (await readFile(url, "utf8").catch(() => "") !== text) {
    process.stderr.write(`${file} is stale: run node tools/client_types.ts\n`);
    process.exitCode = 1;
  }
}
