import { capitalize } from "../../parts/capitalize.ts";

/** A part of an OpenAPI document. */
export type Json = { [key: string]: unknown };

/** A parameter of an endpoint. */
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  description: string;
}

/** An endpoint of the interface, as the page shows it. */
export interface EndpointItem {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** The scopes that a token needs, all of them. */
  scopes: readonly string[];
  parameters: readonly Parameter[];
  /** JSON Schema of the body. */
  body: Json | undefined;
  /** Media type of the answer. */
  mediaType: string;
  /** JSON Schema of the answer. */
  answer: Json | undefined;
  /** Codes of errors by their status, in its order. */
  errors: readonly { status: string; codes: string }[];
}

/** Endpoints about one kind of object: the first part of their path. */
export interface EndpointGroup {
  name: string;
  endpoints: EndpointItem[];
}

/** Returns the endpoints of an OpenAPI document in its order, in groups. */
export function endpointGroups(document: Json): EndpointGroup[] {
  const groups = new Map<string, EndpointItem[]>();
  for (const [path, operations] of entriesOf(document["paths"])) {
    for (const [method, operation] of entriesOf(operations)) {
      const item = itemOf(
        { path, method: method.toUpperCase(), operation: operation as Json },
        sharedAnswers(document),
      );
      const name = path.split("/")[2] ?? "interface";
      groups.set(name, [...groups.get(name) ?? [], item]);
    }
  }
  return [...groups].map(([name, endpoints]) => ({ name: titleOf(name), endpoints }));
}

function itemOf(
  { path, method, operation }: { path: string; method: string; operation: Json },
  shared: Json,
): EndpointItem {
  const responses = (entriesOf(operation["responses"]) as [string, Json][])
    .map(([status, answer]): [string, Json] => [status, resolve(answer, shared)]);
  const content = entriesOf(responses.find(([status]) => status === "200")?.[1]["content"]);
  const [mediaType, answer] = content[0] ?? ["", undefined];
  return {
    ...{ id: String(operation["operationId"]), method, path },
    summary: String(operation["summary"] ?? ""),
    scopes: scopesOf(operation),
    parameters: listOf<Json>(operation["parameters"]).map(({ name, in: place, schema }) => ({
      name: String(name),
      in: place as Parameter["in"],
      description: String((schema as Json)["description"] ?? ""),
    })),
    body: schemaIn(operation["requestBody"]),
    mediaType,
    answer: (answer as Json | undefined)?.["schema"] as Json | undefined,
    errors: responses.filter(([status]) => Number(status) >= 400)
      .map(([status, { description }]) => ({ status, codes: String(description) })),
  };
}

/** All operations have one way to authenticate: by a token. */
function scopesOf({ security }: Json): readonly string[] {
  const [requirement] = listOf<{ token?: readonly string[] }>(security);
  return requirement?.token ?? [];
}

function sharedAnswers({ components }: Json): Json {
  return ((components as Json | undefined)?.["responses"] ?? {}) as Json;
}

/** Returns an answer, which may be a reference to a shared one. */
function resolve(answer: Json, shared: Json): Json {
  const { $ref: reference } = answer;
  if (typeof reference !== "string") return answer;
  return (shared[reference.split("/").at(-1) ?? ""] ?? {}) as Json;
}

function schemaIn(requestBody: unknown): Json | undefined {
  const [first] = entriesOf((requestBody as Json | undefined)?.["content"]);
  return (first?.[1] as Json | undefined)?.["schema"] as Json | undefined;
}

function titleOf(name: string): string {
  const words = name.replace(/\.json$/, "").replaceAll("-", " ").replace(/^pdf/, "PDF")
    .replace(/^openapi/, "OpenAPI");
  return capitalize(words);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? value : [];
}
