import { codesByStatus, type Endpoint, type InterfaceForm } from "@posthaste/contracts";

/** An answer as it was sent. */
export interface SentAnswer {
  status: number;
  /** The header `Content-Type`. */
  type: string;
  payload: unknown;
}

/** Returns how an answer differs from what its endpoint's description says; `undefined` if it does not. */
export function answerFault<Code extends string>(
  endpoint: Endpoint<Code>,
  form: InterfaceForm<Code>,
  { status, type, payload }: SentAnswer,
): string | undefined {
  if (status === 304) return endpoint.revalidates ? undefined : "304 is not in the list";
  const { mediaType = "application/json", answer } = endpoint;
  const expected = status === 200 ? mediaType : "application/json";
  if (expected !== "*/*" && type.split(";")[0] !== expected) return `${status} with ${type}`;
  if (status === 200) {
    const value = expected.endsWith("json") ? JSON.parse(String(payload)) : payload;
    const { error, data } = answer.safeParse(value);
    if (error !== undefined) return error.message;
    const field = expected.endsWith("json") ? unlistedField(value, data) : undefined;
    return field === undefined ? undefined : `"${field}" is not in the list`;
  }
  const body = JSON.parse(String(payload));
  if (status === 401) {
    return body.error === "Unauthenticated" ? undefined : "401 with another body";
  }
  const { error } = form.error.safeParse(body);
  if (error !== undefined) return error.message;
  const allowed = codesByStatus(endpoint, form).get(status) ?? [];
  return allowed.includes(body.code) ? undefined : `${status} ${body.code} is not in the list`;
}

/** Returns the path of a field that a schema has left out because it does not know it. */
function unlistedField(value: unknown, known: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (typeof known !== "object" || known === null) return undefined;
  for (const [name, part] of Object.entries(value)) {
    if (!Object.hasOwn(known, name)) return name;
    const inside = unlistedField(part, (known as Record<string, unknown>)[name]);
    if (inside !== undefined) return `${name}.${inside}`;
  }
  return undefined;
}
