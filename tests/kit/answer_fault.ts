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
    return answer.safeParse(value).error?.message;
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
