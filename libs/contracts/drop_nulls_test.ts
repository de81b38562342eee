import assert from "node:assert/strict";
import { test } from "node:test";
import { dropNulls } from "./drop_nulls.ts";
import { sendBodySchema } from "./send_request.ts";

test("dropNulls() removes optional fields that are null, on every level, and nothing else", () => {
  const nothing = { id: null, filename: null, variables: null };
  const body = {
    from: { email: null, name: null, mail: null },
    to: [null, { email: null, name: null, variables: { a: null }, attachments: [null, nothing] }],
    variables: null,
    subject: null,
  };
  dropNulls(sendBodySchema(), body);
  assert.deepEqual(body as unknown, {
    from: { email: null, mail: null },
    to: [null, { email: null, variables: { a: null }, attachments: [null, { id: null }] }],
    subject: null,
  });
});

test("dropNulls() leaves a value alone whose shape differs from the schema", () => {
  for (
    const body of [null, 1, "x", [], { to: {} }, { to: [[]], from: "x" }, { variables: [null] }]
  ) {
    const before = structuredClone(body);
    dropNulls(sendBodySchema(), body);
    assert.deepEqual(body, before);
  }
});
