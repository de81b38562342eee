import { OPERATIONS } from "./operations.ts";
import { type ConnectionOptions, openConnection } from "./request.ts";
import type { Operations } from "./types.ts";

/** Name of an operation, as in the OpenAPI document. */
export type Operation = keyof Operations;

/** What an operation takes: parameters of its path and query, and its body. */
export type InputOf<Name extends Operation> = Omit<Operations[Name], "answer">;

/** What an operation answers. */
export type AnswerOf<Name extends Operation> = Operations[Name]["answer"];

/** Options of any request. */
export interface RequestOptions {
  /** Ends the request, all its tries and pauses. */
  signal?: AbortSignal | undefined;
  /** 1 to 255 printable ASCII characters; for sends. @default a random one */
  idempotencyKey?: string | undefined;
}

/** Makes one request of the interface. */
export type Call = <Name extends Operation>(
  operation: Name,
  input: InputOf<Name>,
  options?: RequestOptions,
) => Promise<AnswerOf<Name>>;

interface AnyInput {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Makes a function that performs operations by name. */
export function openCall(options: ConnectionOptions): Call {
  const request = openConnection(options);
  return async (operation, input, { signal, idempotencyKey } = {}) => {
    const [method, path, ...flags]: readonly string[] = OPERATIONS[operation];
    const { path: names = {}, query = {}, body }: AnyInput = input;
    const headers: Record<string, string> = {};
    // One key for all tries: the service sends once, whichever of them it got.
    if (flags.includes("key")) headers["idempotency-key"] = idempotencyKey ?? crypto.randomUUID();
    if (body !== undefined) headers["content-type"] = "application/json";
    const answer = await request({
      method: method ?? "GET",
      path: fillPath(path ?? "", names) + queryText(query),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      bytes: flags.includes("bytes"),
      signal,
    });
    return answer as AnswerOf<typeof operation>;
  };
}

function fillPath(path: string, names: Record<string, string | number>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(names[name] ?? "");
    // URLs leave dots out, and a path without a name is another path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`Cannot use "${value}" as ${name}`);
    return value;
  });
}

function queryText(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.map(([name, value]): [string, string] => [
    name,
    value instanceof Date ? value.toISOString() : String(value),
  ]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
