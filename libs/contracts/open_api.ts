import { z } from "zod";
import { BODY_CODES, COMMON_CODES, type Endpoint, ENDPOINTS } from "./endpoints.ts";
import { FEED_EVENT_DATA, FEED_EVENT_TYPES, feedEventSchema } from "./feed_event.ts";
import { ERROR_STATUS, errorBodySchema, type ErrorCode } from "./error_code.ts";
import { shareSchemas } from "./shared_schemas.ts";

/** A JSON value of an OpenAPI document or a schema in it. */
export type JsonObject = { [key: string]: unknown };

const SAFE = Number.MAX_SAFE_INTEGER;

/** What all endpoints of an interface have in common. */
export interface InterfaceForm<Code extends string> {
  title: string;
  version: string;
  /** The status of each code of errors. */
  statuses: Readonly<Record<Code, number>>;
  /** Schema of the body of every error but 401. */
  error: z.ZodType;
  /** Codes that every endpoint may answer with. */
  common: readonly Code[];
  /** Codes of every endpoint that takes a body. */
  ofBodies: readonly Code[];
  /** Schemas of answers that are written once, below `components`, by their names there. @default {{}} */
  answers?: Readonly<Record<string, z.ZodType>>;
  /** The same for schemas of requests. @default {{}} */
  inputs?: Readonly<Record<string, z.ZodType>>;
}

/** The form of the interface for sending. */
export const V1_FORM: InterfaceForm<ErrorCode> = {
  ...{ title: "Posthaste", version: "1" },
  ...{ statuses: ERROR_STATUS, error: errorBodySchema, common: COMMON_CODES, ofBodies: BODY_CODES },
};

/** Returns the OpenAPI 3.1 document of endpoints. It contains only shapes, not the checks in code. */
export function openApiOf<Code extends string>(
  endpoints: readonly Endpoint<Code>[],
  form: InterfaceForm<Code>,
): JsonObject {
  const { title, version, error, answers = {}, inputs = {} } = form;
  const paths: Record<string, JsonObject> = {};
  const shared = sharedErrors(endpoints, form);
  for (const endpoint of endpoints) {
    const { path, method } = endpoint;
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: operationOf(endpoint, { form, shared }),
    };
  }
  const { part, schemas } = shareSchemas(paths, [
    ...Object.entries(inputs).map(([name, schema]) => [name, inputOf(schema)] as const),
    ...Object.entries(answers).map(([name, schema]) => [name, jsonSchemaOf(schema)] as const),
  ]);
  return {
    openapi: "3.1.1",
    info: {
      title,
      version,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths: part,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: jsonSchemaOf(error), ...schemas },
      responses: Object.fromEntries([...shared].map(([name, codes]) => [name, errorOf(codes)])),
    },
  };
}

/** Returns the document of all endpoints of the interface, and of the requests that webhooks make. */
export function openApiDocument(): JsonObject {
  return { ...openApiOf(ENDPOINTS, V1_FORM), webhooks: webhooksOf() };
}

/** Headers of each request to a webhook endpoint, as Standard Webhooks 1.0 names them. */
export const WEBHOOK_HEADERS = {
  "webhook-id": z.string().describe("Id of the event, the same in each attempt"),
  "webhook-timestamp": z.string().regex(/^\d+$/)
    .describe("When this request was made, in seconds since 1970"),
  "webhook-signature": z.string()
    .describe("`v1,` and an HMAC-SHA256 in base64; several are separated by spaces"),
};

/** A header of each request to a webhook endpoint. */
export type WebhookHeader = keyof typeof WEBHOOK_HEADERS;

/** Returns the request of each type of event, by its type. */
function webhooksOf(): JsonObject {
  const parameters = Object.entries(WEBHOOK_HEADERS).map(([name, schema]) => ({
    ...{ name, in: "header", required: true, schema: jsonSchemaOf(schema) },
  }));
  return Object.fromEntries(FEED_EVENT_TYPES.map((type) => {
    const body = feedEventSchema.extend({ type: z.literal(type), data: FEED_EVENT_DATA[type] });
    return [type, {
      post: {
        summary: `Posted to endpoints that get ${type}`,
        // A signature takes the place of a token.
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: { "application/json": { schema: jsonSchemaOf(body) } },
        },
        responses: { "2XX": { description: "Delivered. Any other status is a failure" } },
      },
    }];
  }));
}

/** Returns the codes of an endpoint by their status. */
export function codesByStatus<Code extends string>(
  { unknown = [], codes = [], body }: Endpoint<Code>,
  { statuses, common, ofBodies }: InterfaceForm<Code>,
): Map<number, Code[]> {
  const all = [...common, ...body === undefined ? [] : ofBodies, ...codes];
  const pairs: [number, Code][] = [
    ...all.map((code): [number, Code] => [statuses[code], code]),
    ...unknown.map((code): [number, Code] => [404, code]),
  ];
  const found = new Map<number, Code[]>();
  for (const [status, code] of pairs.toSorted(([a], [b]) => a - b)) {
    found.set(status, [...found.get(status) ?? [], code]);
  }
  return found;
}

/** The answers of errors that several endpoints have: their codes by their name. */
type SharedErrors = ReadonlyMap<string, readonly string[]>;

/** A set of more codes has no name that is easy to read: it is written out. */
const MAX_NAMED_CODES = 4;

function sharedErrors<Code extends string>(
  endpoints: readonly Endpoint<Code>[],
  form: InterfaceForm<Code>,
): SharedErrors {
  const all = endpoints.flatMap((endpoint) => [...codesByStatus(endpoint, form).values()])
    .filter(({ length }) => length <= MAX_NAMED_CODES);
  const found = Map.groupBy(all, nameOf);
  return new Map(
    [...found].flatMap(([name, [codes = [], ...others]]) =>
      others.length === 0 ? [] : [[name, codes]]
    ),
  );
}

/** Returns the name of an answer below `components`; it may not have commas. */
function nameOf(codes: readonly string[]): string {
  return codes.join(".");
}

interface Operating<Code extends string> {
  form: InterfaceForm<Code>;
  shared: SharedErrors;
}

function operationOf<Code extends string>(
  endpoint: Endpoint<Code>,
  { form, shared }: Operating<Code>,
): JsonObject {
  const { operation, summary, scopes, body, bodyMediaType = "application/json" } = endpoint;
  const { isBodyOptional = false } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    operationId: operation,
    summary,
    ...(scopes.length === 0 ? {} : {
      description: `Scope: ${scopes.join(" and ")}`,
      security: [{ token: scopes }],
    }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : {
      requestBody: {
        required: !isBodyOptional,
        content: { [bodyMediaType]: { schema: inputOf(body) } },
      },
    }),
    responses: responsesOf(endpoint, { form, shared }),
  };
}

function parametersOf<Code extends string>(
  { path, params = {}, query, headers = {} }: Endpoint<Code>,
): JsonObject[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return [
    ...names.map((name) => ({
      ...{ name, in: "path", required: true },
      schema: inputOf(params[name] ?? z.string()),
    })),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
      ...{ name, in: "query", required: false },
      schema: inputOf(schema as z.ZodType),
    })),
    ...Object.entries(headers).map(([name, schema]) => ({
      ...{ name, in: "header", required: false, schema: inputOf(schema) },
    })),
  ];
}

function responsesOf<Code extends string>(
  endpoint: Endpoint<Code>,
  { form, shared }: Operating<Code>,
): JsonObject {
  const { answer, mediaType = "application/json", revalidates = false } = endpoint;
  const errors = [...codesByStatus(endpoint, form)].map(([status, codes]) => {
    const name = nameOf(codes);
    const isShared = shared.has(name);
    return [status, isShared ? { $ref: `#/components/responses/${name}` } : errorOf(codes)];
  });
  return {
    200: { description: "Done", content: { [mediaType]: { schema: jsonSchemaOf(answer) } } },
    ...(revalidates ? { 304: { description: "Not changed since the `ETag` of the request" } } : {}),
    ...Object.fromEntries(errors),
  };
}

function errorOf(codes: readonly string[]): JsonObject {
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
