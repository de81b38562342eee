import assert from "node:assert/strict";
import { test } from "node:test";
import { type EdgeErrors, errorAnswer } from "./edge_errors.ts";
import { type CommonErrorCode, HttpError } from "./http_error.ts";

type ShopCode = Exclude<CommonErrorCode, "invalid_json"> | "sold_out";

const ShopError = HttpError<ShopCode>;

const ERRORS: EdgeErrors<ShopCode> = {
  statuses: {
    ...{ invalid_request: 400, unauthenticated: 401, missing_scope: 403, unknown_route: 404 },
    method_not_allowed: 405,
    ...{ request_timeout: 408, sold_out: 409, payload_too_large: 413, unsupported_media_type: 415 },
    ...{ too_many_requests: 429, headers_too_large: 431, internal: 500, unavailable: 503 },
  },
  codes: { invalid_json: "invalid_request" },
  messages: { internal: "Unexpected error", unknown_route: "No such page" },
};

test("errorAnswer() answers with the edge's own code, and the status of the code", () => {
  const soldOut = new ShopError("sold_out", "Cannot order: sold out", { retryAfter: 9 });
  assert.deepEqual(errorAnswer(soldOut, ERRORS), {
    status: 409,
    headers: { "retry-after": "9" },
    body: { error: "Cannot order: sold out", code: "sold_out" },
  });
  const issues = [{ path: "a", code: "repeated_field" as const, message: "must not appear twice" }];
  const { status, body } = errorAnswer(new HttpError("invalid_json", "No", { issues }), ERRORS);
  assert.deepEqual([status, body], [400, { error: "No", code: "invalid_request", issues }]);
  const named = new ShopError("sold_out", "No", { status: 404 });
  assert.equal(errorAnswer(named, ERRORS).status, 404);
});

test("errorAnswer() answers every fault of a token in the same way, with the scheme that it wants", () => {
  assert.deepEqual(errorAnswer(new ShopError("unauthenticated", "secret"), ERRORS), {
    status: 401,
    headers: { "www-authenticate": "Bearer" },
    body: { error: "Unauthenticated" },
  });
});

test("errorAnswer() reveals nothing of an unforeseen value, and translates the framework's errors", () => {
  const codeOf = (error: unknown) => errorAnswer(error, ERRORS).body;
  assert.deepEqual(codeOf(new Error("secret")), { error: "Unexpected error", code: "internal" });
  const framework = (code: string, statusCode: number) =>
    codeOf(Object.assign(new Error("secret"), { code, statusCode })).code;
  assert.equal(framework("FST_ERR_CTP_INVALID_MEDIA_TYPE", 415), "unsupported_media_type");
  assert.equal(framework("FST_ERR_BAD_URL", 400), "unknown_route");
  assert.equal(framework("FST_ERR_ELSE", 400), "invalid_request");
  assert.equal(framework("FST_ERR_ELSE", 500), "internal");
});
