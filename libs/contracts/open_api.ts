import { z } from "zod";
import { BODY_CODES, COMMON_CODES, type Endpoint, ENDPOINTS } from "./endpoints.ts";
import { ERROR_STATUS, errorBodySchema, type ErrorCode } from "./error_code.ts";

/** A JSON value of an OpenAPI document or a schema in it. */
export type JsonObject = { [key: string]: unknown };

const SAFE = Number.MAX_SAFE_INTEGER;

/** Returns the OpenAPI 3.1 document of endpoints. It contains only shapes, not the checks in code. */
export function openApiOf(endpoints: readonly Endpoint[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    const { path, method } = endpoint;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(endpoint) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Posthaste",
      version,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: jsonSchemaOf(errorBodySchema) },
    },
  };
}

/** Returns the document of all endpoints of the interface. */
export function openApiDocument(): JsonObject {
  return openApiOf(ENDPOINTS, "1");
}

/** Returns the codes of an endpoint by their status. */
export function codesByStatus(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const { unknown = [], codes = [], body } = endpoint;
  const all = [...COMMON_CODES, ...body === undefined ? [] : BODY_CODES, ...codes];
  const pairs: [number, ErrorCode][] = [
    ...all.map((code): [number, ErrorCode] => [ERROR_STATUS[code], code]),
    ...unknown.map((code): [number, ErrorCode] => [404, code]),
  ];
  const found = new Map<number, ErrorCode[]>();
  for (const [status, code] of pairs.toSorted(([a], [b]) => a - b)) {
    found.set(status, [...found.get(status) ?? [], code]);
  }
  return found;
}

function operationOf(endpoint: Endpoint): JsonObject {
  const { operation, summary, scopes, body } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    operationId: operation,
    summary,
    ...(scopes.length === 0 ? {} : { description: `Scope: ${scopes.join(" or ")}` }),
    ...(scopes.length === 0 ? {} : { "x-scopes": scopes }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : {
      requestBody: { required: true, content: { "application/json": { schema: inputOf(body) } } },
    }),
    responses: responsesOf(endpoint),
  };
}

function parametersOf({ path, query, headers = {} }: Endpoint): JsonObject[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      ...{ name, in: "query", required: false },
      schema: inputOf(schema as z.ZodType),
    })),
    ...Object.entries(headers).map(([name, schema]) => ({
      ...{ name, in: "header", required: false, schema: inputOf(schema) },
    })),
  ];
}

function responsesOf(endpoint: Endpoint): JsonObject {
  const { answer, mediaType = "application/json", revalidates = false } = endpoint;
  const errors = [...codesByStatus(endpoint)].map(([status, codes]) => [status, errorOf(codes)]);
  return {
    200: { description: "Done", content: { [mediaType]: { schema: jsonSchemaOf(answer) } } },
    ...(revalidates ? { 304: { description: "It is as the `ETag` says" } } : {}),
    ...Object.fromEntries(errors),
  };
}

function errorOf(codes: readonly ErrorCode[]): JsonObject {
  const schema = codes.includes("unauthenticated")
    ? { type: "object", properties: { error: { const: "Unauthenticated" } }, required: ["error"] }
    : { $ref: "#/components/schemas/Error", properties: { code: { enum: codes } } };
  return { description: codes.join(", "), content: { "application/json": { schema } } };
}

function inputOf(schema: z.ZodType): JsonObject {
  return jsonSchemaOf(schema, "input");
}

function jsonSchemaOf(schema: z.ZodType, io: "input" | "output" = "output"): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    ...{ io, unrepresentable: "any" },
    override: ({ jsonSchema }) => {
      delete jsonSchema.$id;
      // Clients must ignore unknown fields.
      if (io === "output") delete jsonSchema.additionalProperties;
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.maximum === SAFE) delete jsonSchema.maximum;
      if (jsonSchema.minimum === -SAFE) delete jsonSchema.minimum;
      if (jsonSchema.exclusiveMinimum === 0 && jsonSchema.type === "integer") {
        delete jsonSchema.exclusiveMinimum;
        jsonSchema.minimum = 1;
      }
    },
  });
  return rest;
}
