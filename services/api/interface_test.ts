import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { errorBodySchema, type RenderReply } from "@posthaste/contracts";
import { type Changes, cpuTimeOf } from "@posthaste/kit";
import {
  type Answer,
  emailVersion,
  openTestApp,
  pdfVersion,
  SEND,
  smallSend,
} from "./_test_app.ts";
import type { ApiDeps } from "./app.ts";

// "INTERFACE 4.1" in a test's name is section 4.1 of docs/interface.md.

const RENDER = "/v1/templates/5/render";

function assertError(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(errorBodySchema.parse(answer.body).code, code);
}

function pathsOf({ body }: Answer): string[] {
  return (body.issues ?? []).map(({ path }: { path: string }) => path);
}

function codesOf({ body }: Answer): Record<string, string> {
  return Object.fromEntries(
    (body.issues ?? []).map(({ path, code }: { path: string; code: string }) => [path, code]),
  );
}

test("INTERFACE 1: a template is rendered, and another request is sent from it", async () => {
  await using api = openTestApp();
  assert.equal((await api.post(RENDER, { name: "Jane" })).body.subject, "Hi Jane");
  assert.equal((await api.post(SEND, smallSend())).status, 200);
  assert.equal(api.sends.length, 1);
});

test("INTERFACE 2: every field of a send request is kept exactly as given", async () => {
  await using api = openTestApp();
  const body = {
    from: { email: "shop@example.com", name: "The Shop" },
    to: [{
      email: "jane@example.net",
      name: "Jane",
      variables: { name: "Jane", address: { city: { name: "Bern" } }, lines: [1, 2.5, null, true] },
      attachments: [
        { id: 7, filename: "invoice.pdf", variables: { number: "42", nested: { a: { b: "c" } } } },
      ],
    }],
    variables: { name: "all" },
  };
  assert.equal((await api.post(SEND, body)).status, 200);
  assert.deepEqual(api.sends[0]?.request, body);
  assert.deepEqual(api.sends[0]?.pdfVersions, { 7: 4 });
  assert.deepEqual(api.sends[0]?.template, { id: 5, version: 2 });
});

test("INTERFACE 2: a missing required field is refused with its path", async () => {
  await using api = openTestApp();
  const answer = await api.post(SEND, { to: [{ attachments: [{}] }] });
  assertError(answer, 400, "invalid_request");
  assert.deepEqual(answer.body.issues, [
    { path: "from", code: "required", message: "is required" },
    { path: "to.0.email", code: "required", message: "is required" },
    { path: "to.0.attachments.0.id", code: "required", message: "is required" },
  ]);
  assert.deepEqual(pathsOf(await api.post(SEND, { from: {} })), ["from.email", "to"]);
});

test("INTERFACE 2: fields of a wrong type are refused, all together", async () => {
  await using api = openTestApp();
  const answer = await api.post(SEND, {
    from: { email: 1, name: {} },
    to: [
      { email: ["a@example.net"], name: 2, variables: [], attachments: {} },
      "jane@example.net",
      {
        email: "a@example.net",
        attachments: [{ id: "7" }, { id: 1.5, filename: 3, variables: "{}" }, { id: -7 }],
      },
    ],
    variables: "name=Jane",
  });
  assertError(answer, 400, "invalid_request");
  assert.deepEqual(pathsOf(answer), [
    "from.email",
    "from.name",
    "to.0.email",
    "to.0.name",
    "to.0.variables",
    "to.0.attachments",
    "to.1",
    "to.2.attachments.0.id",
    "to.2.attachments.1.id",
    "to.2.attachments.1.filename",
    "to.2.attachments.1.variables",
    "to.2.attachments.2.id",
    "variables",
  ]);
});

test("INTERFACE 2: an attachment names its PDF template by id or alias", async () => {
  await using api = openTestApp();
  const withFiles = (...attachments: unknown[]) =>
    smallSend({ to: [{ email: "jane@example.net", attachments }] });
  const both = withFiles({ id: "invoice", filename: "a.pdf", variables: { n: 1 } }, { id: 7 });
  assert.equal((await api.post(SEND, both)).status, 200);
  // The id is stored: the alias may belong to another template when the send is processed.
  assert.deepEqual(api.sends[0]?.request.to[0]?.attachments, [
    { id: 7, filename: "a.pdf", variables: { n: 1 } },
    { id: 7 },
  ]);
  assert.deepEqual(api.sends[0]?.pdfVersions, { 7: 4 });
  const unknown = await api.post(SEND, withFiles({ id: "bill" }));
  assertError(unknown, 400, "unknown_pdf_template");
  assert.deepEqual(codesOf(unknown), { "to.0.attachments.0.id": "unknown_pdf_template" });
  for (const id of ["7", "", "Invoice", "in voice", "x".repeat(64), [7], 0]) {
    const answer = await api.post(SEND, withFiles({ id }));
    assertError(answer, 400, "invalid_request");
    assert.deepEqual(answer.body.issues, [{
      path: "to.0.attachments.0.id",
      code: "wrong_type",
      message: "must be the id or the alias of a PDF template",
    }]);
  }
});

test("INTERFACE 4.2: an attachment that names an alias is checked for required variables", async () => {
  await using api = openTestApp({
    versions: {
      latestPdfVersion: () => Promise.resolve(pdfVersion([{ name: "number", required: true }])),
    },
  });
  const to = [{ email: "jane@example.net", attachments: [{ id: "invoice" }] }];
  assert.deepEqual(codesOf(await api.post(SEND, smallSend({ to }))), {
    "to.0.attachments.0.variables.number": "missing_variable",
  });
});

test("INTERFACE 2: null for an optional field is the same as leaving it out", async () => {
  await using api = openTestApp();
  const files = [{ id: 7, filename: null, variables: null }];
  const answer = await api.post(SEND, {
    from: { email: "shop@example.com", name: null },
    to: [
      { email: "a@example.net", name: null, variables: { a: null }, attachments: files },
      { email: "b@example.net", variables: null, attachments: null },
    ],
    variables: null,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(api.sends[0]?.request, {
    from: { email: "shop@example.com" },
    to: [
      { email: "a@example.net", variables: { a: null }, attachments: [{ id: 7 }] },
      { email: "b@example.net" },
    ],
  });
  const nulls = { from: null, to: [{ email: null, attachments: [{ id: null }] }], subject: null };
  assert.deepEqual(codesOf(await api.post(SEND, nulls)), {
    from: "wrong_type",
    "to.0.email": "wrong_type",
    "to.0.attachments.0.id": "wrong_type",
    subject: "unknown_field",
  });
});

test("INTERFACE 2: unknown fields are refused by name, at every level", async () => {
  await using api = openTestApp();
  const answer = await api.post(SEND, {
    from: { email: "shop@example.com", mail: "x" },
    to: [{
      email: "jane@example.net",
      carbon: "x",
      attachments: [{ id: 7, file: 1, path: "/etc" }],
    }],
    subject: "x",
  });
  assertError(answer, 400, "invalid_request");
  assert.deepEqual(pathsOf(answer).sort(), [
    "from.mail",
    "subject",
    "to.0.attachments.0.file",
    "to.0.attachments.0.path",
    "to.0.carbon",
  ]);
});

test("INTERFACE 2: an address is one plain address", async () => {
  await using api = openTestApp();
  const bad = [
    "",
    "jane",
    "jane@localhost",
    "jane@example.net\r\nBcc: all@example.net",
    "jane@example.net\n",
    "jane(comment)@example.net",
    "Jane <jane@example.net>",
    "friends: a@example.net, b@example.net;",
    "a@example.net, b@example.net",
    "a@example.net;b@example.net",
    "a@example.net b@example.net",
    '"a b"@example.net',
    "<@relay.example.net:jane@example.net>",
    "jane@[127.0.0.1]",
    "jane@127.0.0.1",
    `${"a".repeat(65)}@example.net`,
    `jane@${"a.".repeat(130)}net`,
    "jane\u{200b}@example.net",
  ];
  const answer = await api.post(SEND, smallSend({ to: bad.map((email) => ({ email })) }));
  assertError(answer, 400, "invalid_request");
  assert.deepEqual(pathsOf(answer), bad.map((_, index) => `to.${index}.email`));
  const good = ["jane.doe+tag@mail.example.net", "o'neil@example.net", "ジェーン@例え.jp"];
  const accepted = await api.post(SEND, smallSend({ to: good.map((email) => ({ email })) }));
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
});

test("INTERFACE 2: names and file names hold no control characters, file names no slashes", async () => {
  await using api = openTestApp();
  const answer = await api.post(SEND, {
    from: { email: "shop@example.com", name: "Shop\r\nBcc: x@example.net" },
    to: [
      { email: "a@example.net", name: "A\u{0}" },
      { email: "b@example.net", name: "x".repeat(257) },
      {
        email: "c@example.net",
        attachments: ["../../etc/passwd", "a\\b.pdf", "a\nb.pdf", "", "x".repeat(201)]
          .map((filename) => ({ id: 7, filename })),
      },
    ],
  });
  assertError(answer, 400, "invalid_request");
  assert.deepEqual(pathsOf(answer), [
    "from.name",
    "to.0.name",
    "to.1.name",
    ...[0, 1, 2, 3, 4].map((index) => `to.2.attachments.${index}.filename`),
  ]);
});

test("INTERFACE 2: a file name with placeholders is refused, because nothing would fill them", async () => {
  await using api = openTestApp();
  const withName = (filename: string) =>
    smallSend({ to: [{ email: "jane@example.net", attachments: [{ id: 7, filename }] }] });
  for (const filename of ["invoice-{{ number }}.pdf", "{{{x}}}", "{{}}", "a}}{{b}}"]) {
    const answer = await api.post(SEND, withName(filename));
    assertError(answer, 400, "placeholder_in_filename");
    assert.deepEqual(codesOf(answer), { "to.0.attachments.0.filename": "placeholder_in_filename" });
  }
  for (const filename of ["{invoice}.pdf", "a}} {{b.pdf"]) {
    assert.equal((await api.post(SEND, withName(filename))).status, 200, filename);
  }
  const many = "{{".repeat(2_000_000);
  assert.deepEqual(codesOf(await api.post(SEND, withName(many))), {
    "to.0.attachments.0.filename": "too_long",
  });
});

test("INTERFACE 2: from.email must be an address of the integration", async () => {
  await using api = openTestApp();
  const other = smallSend({ from: { email: "boss@example.com" } });
  const answer = await api.post(SEND, other);
  assertError(answer, 400, "sender_not_allowed");
  assert.deepEqual(pathsOf(answer), ["from.email"]);
  // The domain is compared without regard to case, the part before the "@" is not.
  for (const [email, status] of [["shop@EXAMPLE.com", 200], ["SHOP@example.com", 400]] as const) {
    assert.equal((await api.post(SEND, smallSend({ from: { email } }))).status, status, email);
  }
});

test("INTERFACE 2: the success body has status and message, and contains the ids", async () => {
  await using api = openTestApp();
  const one = await api.post(SEND, smallSend());
  assert.equal(one.body.status, "success");
  assert.equal(one.body.message, "1 email was put in the queue");
  const to = [{ email: "a@example.net" }, { email: "b@example.net" }];
  const two = await api.post(SEND, smallSend({ to }));
  assert.equal(two.body.message, "2 emails were put in the queue");
  assert.match(two.body.id, /^snd_[0-9a-z]{26}$/);
  assert.deepEqual(two.body.messages, [
    { id: `msg_${two.body.id.slice(4)}0000`, email: "a@example.net" },
    { id: `msg_${two.body.id.slice(4)}0001`, email: "b@example.net" },
  ]);
});

test("INTERFACE 2: a render request is an object, and its answer three strings", async () => {
  await using api = openTestApp();
  const answer = await api.post(RENDER, { name: "Jane", count: 3 });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, { subject: "Hi Jane", html: "<p/>", text: "-" });
  for (const body of ["[]", '"x"', "3", "null"]) {
    assertError(await api.post(RENDER, body), 400, "invalid_request");
  }
});

test("INTERFACE 3: an accepted send is queued, and its states can be read", async () => {
  await using api = openTestApp();
  const to = [{ email: "a@example.net" }, { email: "b@example.net" }];
  const { body: { id, messages } } = await api.post(SEND, smallSend({ to }));
  const send = await api.get(`/v1/sends/${id}`);
  assert.deepEqual(send.body.states, { queued: 2 });
  assert.equal((await api.get(`/v1/messages/${messages[1].id}`)).body.state, "queued");
});

test("INTERFACE 4.1: a template is found by id and alias; otherwise the answer is 404", async () => {
  await using api = openTestApp();
  assert.equal((await api.post("/v1/templates/welcome/render", {})).status, 200);
  for (
    const id of ["6", "nothing", "05", "5.0", "-5", "Welcome", "5%2F6", "99999999999999999999"]
  ) {
    assertError(await api.post(`/v1/templates/${id}/render`, {}), 404, "unknown_template");
  }
});

test("INTERFACE 4.1: a missing required variable is named", async () => {
  const variables = [{ name: "name", required: true }, { name: "city", required: false }];
  await using api = openTestApp({
    versions: { latestEmailVersion: () => Promise.resolve(emailVersion(variables)) },
  });
  const answer = await api.post(RENDER, { city: "Bern" });
  assertError(answer, 400, "missing_variable");
  assert.deepEqual(pathsOf(answer), ["name"]);
  assert.equal((await api.post(RENDER, { name: "" })).status, 200);
});

test("INTERFACE 4.1: a failing template is answered with the reason, and so is a late or missing renderer", async () => {
  const replies = {
    fails: () =>
      Promise.resolve({ ok: false as const, reason: "html, line 3: no helper", timedOut: false }),
    loops: () =>
      Promise.resolve({ ok: false as const, reason: "it ran more than 2 s", timedOut: true }),
    late: () => Promise.resolve(undefined),
    slow: () => Promise.reject(new DOMException("no ack", "TimeoutError")),
    gone: () => Promise.reject(Object.assign(new Error("x"), { name: "ClosedConnectionError" })),
  };
  const expected = {
    fails: [422, "template_failed"],
    loops: [504, "render_timeout"],
    late: [504, "render_timeout"],
    slow: [504, "render_timeout"],
    gone: [503, "unavailable"],
  } as const;
  for (const name of ["fails", "loops", "late", "slow", "gone"] as const) {
    await using api = openTestApp({ render: replies[name] });
    const answer = await api.post(RENDER, {});
    const [status, code] = expected[name];
    assertError(answer, status, code);
    if (name === "fails") assert.match(answer.body.error, /html, line 3: no helper/);
    if (name === "gone") assert.ok(Number(answer.headers["retry-after"]) > 0);
  }
});

test("INTERFACE 4.1: a renderer that cannot be reached is 503 with Retry-After within 2 s", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let isUp = false;
  let asked = Promise.withResolvers<void>();
  const { promise: reply, resolve } = Promise.withResolvers<RenderReply>();
  await using api = openTestApp({
    render: () => (asked.resolve(), reply),
    checkBroker: () => isUp ? Promise.resolve() : Promise.reject(new Error("away")),
  });
  const refused = api.post(RENDER, {});
  await asked.promise;
  // The check of the broker may take one more second.
  mock.timers.tick(1000);
  const answer = await refused;
  assertError(answer, 503, "unavailable");
  assert.ok(Number(answer.headers["retry-after"]) > 0);
  isUp = true;
  asked = Promise.withResolvers();
  const rendered = api.post(RENDER, {});
  await asked.promise;
  mock.timers.tick(1000);
  resolve({ ok: true, subject: "", html: "", text: "" });
  assert.equal((await rendered).status, 200);
});

test("INTERFACE 4.2: at least one recipient is required, in an array", async () => {
  await using api = openTestApp();
  for (const to of [undefined, [], {}, "jane@example.net", null]) {
    const answer = await api.post(SEND, smallSend({ to }));
    assertError(answer, 400, "invalid_request");
    assert.deepEqual(pathsOf(answer), ["to"]);
  }
});

test("INTERFACE 4.2: a send is accepted as one, with versions pinned, and passed on", async () => {
  await using api = openTestApp();
  const to = Array.from({ length: 11 }, (_, index) => ({ email: `r${index}@example.net` }));
  const answer = await api.post(SEND, smallSend({ to }));
  assert.equal(answer.status, 200);
  const [send] = api.sends;
  assert.equal(send?.messageCount, 11);
  assert.equal(send?.priority, "bulk");
  assert.equal(send?.settledAt, null);
  assert.equal(Number(send?.reconcileAt) - Number(send?.acceptedAt), 20_000);
  assert.deepEqual(api.dispatched, api.sends);
  await api.post(SEND, smallSend());
  assert.equal(api.sends[1]?.priority, "transactional");
});

test("a send that has to wait for its integration is accepted and not dispatched", async () => {
  await using api = openTestApp({ mustWait: (_, priority) => priority === "bulk" });
  const to = Array.from({ length: 11 }, (_, index) => ({ email: `r${index}@example.net` }));
  await api.post(SEND, smallSend({ to }));
  await api.post(SEND, smallSend());
  assert.deepEqual(api.sends.map(({ next }) => next), [0, undefined]);
});

test("INTERFACE 4.2: variables of a lower level count for what a template requires", async () => {
  const required = [{ name: "name", required: true }];
  await using api = openTestApp({
    versions: {
      latestEmailVersion: () => Promise.resolve(emailVersion(required)),
      latestPdfVersion: () => Promise.resolve(pdfVersion(required)),
    },
  });
  const to = [
    { email: "a@example.net", variables: { name: "B" }, attachments: [{ id: 7 }] },
    { email: "b@example.net", attachments: [{ id: 7, variables: { name: "C" } }, { id: 7 }] },
  ];
  assert.equal((await api.post(SEND, smallSend({ to, variables: { name: "A" } }))).status, 200);
  const answer = await api.post(SEND, smallSend({ to }));
  assertError(answer, 400, "missing_variable");
  // An attachment's variables reach neither the mail nor the other attachment.
  assert.deepEqual(answer.body.issues, [
    {
      path: "to.1.variables.name",
      code: "missing_variable",
      message: 'variable "name" is missing for recipient 1: email template 5 ' +
        '("Welcome") requires it',
    },
    {
      path: "to.1.attachments.1.variables.name",
      code: "missing_variable",
      message: 'variable "name" is missing for attachment 1 of recipient 1: ' +
        'PDF template 7 ("Invoice") requires it',
    },
  ]);
  assert.equal(api.sends.length, 1);
});

test("INTERFACE 4.2: faults of every kind are reported together, the first kind sets the code", async () => {
  await using api = openTestApp({
    versions: {
      latestEmailVersion: () => Promise.resolve(emailVersion([{ name: "name", required: true }])),
    },
  });
  const answer = await api.post(SEND, {
    from: { email: "boss@example.com" },
    to: [
      { email: "a@example.net", variables: { name: "A" }, attachments: [{ id: 8 }] },
      { email: "b@example.net" },
      { email: "nobody", variables: { name: "C" } },
      { email: "d@example.net", variables: [] },
    ],
  });
  assertError(answer, 400, "invalid_request");
  assert.deepEqual(pathsOf(answer), [
    "to.2.email",
    "to.3.variables",
    "from.email",
    "to.0.attachments.0.id",
    "to.1.variables.name",
  ]);
  assert.equal(api.sends.length, 0);
});

test("INTERFACE 4.2: an integration that does not exist is 404, before the body is read", async () => {
  await using api = openTestApp();
  for (const id of ["4", "x", "3.0", "03", "-3"]) {
    const answer = await api.post(`/v1/templates/5/send/${id}`, {});
    assertError(answer, 404, "unknown_integration");
  }
  assertError(await api.post("/v1/templates/9/send/9", {}), 404, "unknown_template");
});

test("INTERFACE 5: without a valid token it is 401 with exactly one body", async () => {
  await using api = openTestApp();
  const headers = [
    "",
    "ph_all",
    "Basic cGhfYWxsOg==",
    "Bearer",
    "Bearer ",
    "Bearer ph_wrong",
    "Bearer ph_expired",
    "Bearer ph_revoked",
    "Bearer ph_all ph_all",
    `Bearer ${"x".repeat(300)}`,
  ];
  for (const authorization of headers) {
    for (const path of [SEND, RENDER]) {
      const answer = await api.app.inject({
        method: "POST",
        url: path,
        headers: { authorization },
        payload: {},
      });
      assert.equal(answer.statusCode, 401, authorization);
      assert.equal(answer.body, '{"error":"Unauthenticated"}');
      assert.equal(answer.headers["www-authenticate"], "Bearer");
    }
    assert.equal((await api.get("/v1/sends/x", { authorization })).status, 401);
    assert.equal((await api.get("/v1/messages/x", { authorization })).status, 401);
  }
  const bare = await api.app.inject({ method: "POST", url: SEND, payload: {} });
  assert.equal(bare.body, '{"error":"Unauthenticated"}');
});

test("INTERFACE 5: a token does only what its scopes allow", async () => {
  await using api = openTestApp();
  const calls = {
    render: (authorization: string) => api.post(RENDER, {}, { authorization }),
    send: (authorization: string) => api.post(SEND, smallSend(), { authorization }),
    read: (authorization: string) => api.get("/v1/sends/x", { authorization }),
  };
  for (const scope of ["render", "send", "read"] as const) {
    for (const other of ["render", "send", "read"] as const) {
      const answer = await calls[other](`Bearer ph_${scope}`);
      if (other !== scope) assertError(answer, 403, "missing_scope");
      else assert.notEqual(answer.status, 403);
    }
  }
});

test("INTERFACE 5: another account's objects do not exist", async () => {
  await using api = openTestApp();
  const { body: { id, messages } } = await api.post(SEND, smallSend());
  const other = { authorization: "Bearer ph_other" };
  assertError(await api.post(RENDER, {}, other), 404, "unknown_template");
  assertError(await api.post(SEND, smallSend(), other), 404, "unknown_template");
  assertError(await api.get(`/v1/sends/${id}`, other), 404, "unknown_send");
  assertError(await api.get(`/v1/messages/${messages[0].id}`, other), 404, "unknown_message");
});

test("INTERFACE 7: invalid JSON is 400, reported by line and column and never quoted", async () => {
  await using api = openTestApp();
  const secret = "s3cret";
  const answer = await api.post(SEND, `{\n  "from": ${secret}\n}`);
  assertError(answer, 400, "invalid_json");
  assert.match(answer.body.error, /line 2, column 11/);
  assert.ok(!JSON.stringify(answer.body).includes(secret));
  const bodies = ["", "{", '{"a":1,}', "{'a':1}", '{"a":"\n"}', "[1,2", "nul", '{"a":1}}', "\0"];
  for (const body of bodies) assertError(await api.post(SEND, body), 400, "invalid_json");
  assert.equal((await api.post(SEND, `\u{feff}${JSON.stringify(smallSend())}`)).status, 200);
  const marks = `\u{feff}\u{feff}${JSON.stringify(smallSend())}`;
  assertError(await api.post(SEND, marks), 400, "invalid_json");
  const latin1 = Buffer.from('{"from":"\u{fc}"}', "latin1");
  assertError(await api.post(SEND, latin1), 400, "invalid_json");
});

test("INTERFACE 7: names that poison prototypes are 400", async () => {
  await using api = openTestApp();
  const bodies = [
    '{"__proto__":{"x":1}}',
    '{"from":{},"to":[{"variables":{"__proto__":{"isAdmin":true}}}]}',
    '{"variables":{"\\u005f_proto__":{}}}',
    '{"variables":{"constructor":{"prototype":{"x":1}}}}',
  ];
  for (const body of bodies) {
    assertError(await api.post(SEND, body), 400, "invalid_json");
    assertError(await api.post(RENDER, body), 400, "invalid_json");
  }
  const harmless = smallSend({ variables: { constructor: "Bob", toString: 1, hasOwnProperty: 2 } });
  assert.equal((await api.post(SEND, harmless)).status, 200);
});

test("INTERFACE 7: numbers beyond a double are 400, at their paths", async () => {
  await using api = openTestApp();
  const answer = await api.post(RENDER, `{"a":{"b":[1,1e400]},"c":-1${"0".repeat(400)},"d":1e300}`);
  assertError(answer, 400, "invalid_json");
  assert.deepEqual(pathsOf(answer).sort(), ["a.b.1", "c"]);
  assert.equal((await api.post(RENDER, '{"d":1e300,"text":"1e400"}')).status, 200);
});

test("INTERFACE 7: integers that would lose precision are 400, at their paths, and fractions are accepted", async () => {
  await using api = openTestApp();
  const answer = await api.post(
    RENDER,
    '{"id":12345678901234567890,"a":[1,-9007199254740993],"b":1e400}',
  );
  assertError(answer, 400, "invalid_json");
  assert.match(answer.body.error, /send it as a string/);
  assert.deepEqual(codesOf(answer), {
    id: "number_not_exact",
    "a.1": "number_not_exact",
    b: "number_out_of_range",
  });
  const order = JSON.stringify(smallSend({ variables: { order: 0 } })).replace(":0", ":2e53");
  assertError(await api.post(SEND, order.replace("2e53", "9007199254740992")), 400, "invalid_json");
  assert.equal((await api.post(SEND, order)).status, 200);
  const exact = '{"a":9007199254740991,"b":-9007199254740991,"c":0.12345678901234567,"d":1e300}';
  assert.equal((await api.post(RENDER, exact)).status, 200);
});

test("INTERFACE 7: unpaired surrogates are 400, at their paths", async () => {
  await using api = openTestApp();
  const answer = await api.post(
    RENDER,
    '{"a":["\\ud800x"],"b":{"\\uDC00":1},"c":"\\ud83d\\ude00"}',
  );
  assertError(answer, 400, "invalid_json");
  assert.deepEqual(pathsOf(answer), ["a.0", "b.\u{fffd}"]);
  assert.equal((await api.post(RENDER, '{"c":"\\ud83d\\ude00","d":"\\\\ud800"}')).status, 200);
});

test("INTERFACE 7: a repeated field is 400, at its path", async () => {
  await using api = openTestApp();
  const to = '"to":[{"email":"jane@example.net"}]';
  const from = '"from":{"email":"shop@example.com"}';
  const bodies: [string, string][] = [
    [`{${from},${to},${from}}`, "from"],
    [
      `{${from},"to":[{"email":"a@b.example"},{"email":"a@b.example","\\u0065mail":"c@d.example"}]}`,
      "to.1.email",
    ],
    [`{${from},${to},"variables":{"a":[{"x":1,"y":{},"x":1}]}}`, "variables.a.0.x"],
  ];
  for (const [body, path] of bodies) {
    const answer = await api.post(SEND, body);
    assertError(answer, 400, "invalid_json");
    assert.deepEqual(pathsOf(answer), [path]);
  }
  assert.equal(api.sends.length, 0);
  const repeatedNames = `{${from},${to},"variables":{"a":{"x":1},"b":[{"x":1},{"x":1}],"x":"x"}}`;
  assert.equal((await api.post(SEND, repeatedNames)).status, 200);
});

test("INTERFACE 7: every issue has a code for its kind", async () => {
  await using api = openTestApp({
    versions: {
      latestEmailVersion: () => Promise.resolve(emailVersion([{ name: "name", required: true }])),
    },
  });
  const nested = JSON.parse('{"a":'.repeat(33) + "1" + "}".repeat(33));
  const answer = await api.post(SEND, {
    from: { email: "boss@example.com", name: "x".repeat(257), mail: "x" },
    to: [
      { email: "nobody", name: "A\n", attachments: [{ id: 8, filename: "" }, { filename: "a/b" }] },
      { email: 1, variables: [], attachments: [{ id: "?" }, { id: -7 }, { id: 1.5 }, "x"] },
      { variables: nested, attachments: Array(11).fill({ id: 7 }) },
      { email: "a@example.net" },
    ],
  });
  assert.deepEqual(codesOf(answer), {
    "from.name": "too_long",
    "to.0.email": "bad_address",
    "to.0.name": "bad_characters",
    "to.0.attachments.0.filename": "empty",
    "to.0.attachments.1.id": "required",
    "to.0.attachments.1.filename": "bad_characters",
    "to.1.email": "wrong_type",
    "to.1.variables": "wrong_type",
    "to.1.attachments.0.id": "wrong_type",
    "to.1.attachments.1.id": "wrong_type",
    "to.1.attachments.2.id": "wrong_type",
    "to.1.attachments.3": "wrong_type",
    "to.2.email": "required",
    "to.2.variables": "too_deep",
    "to.2.attachments": "too_many",
    "from.mail": "unknown_field",
    "from.email": "sender_not_allowed",
    "to.0.attachments.0.id": "unknown_pdf_template",
    "to.0.variables.name": "missing_variable",
    "to.3.variables.name": "missing_variable",
  });
  const broken = '{"a":1e400,"b":"\\ud800"}';
  assert.deepEqual(codesOf(await api.post(RENDER, broken)), {
    a: "number_out_of_range",
    b: "half_character",
  });
  assert.deepEqual(codesOf(await api.post(RENDER, '{"a":1,"a":2}')), { a: "repeated_field" });
  assert.deepEqual(codesOf(await api.post(SEND, smallSend({ to: [] }))), { to: "empty" });
  assert.deepEqual(codesOf(await api.post(SEND, smallSend(), { "idempotency-key": "\u{e4}" })), {
    "Idempotency-Key": "bad_key",
  });
});

test("INTERFACE 7: no error repeats an address, whatever is wrong with the send", async () => {
  const required = [{ name: "name", required: true }];
  await using api = openTestApp({
    versions: {
      latestEmailVersion: () => Promise.resolve(emailVersion(required)),
      latestPdfVersion: (_accountId, ref) =>
        Promise.resolve(ref === 7 ? pdfVersion([{ name: "number", required: true }]) : null),
    },
  });
  const attachments = [{ id: 7, filename: "jane@example.net.pdf" }, { id: 8 }];
  const bodies = [
    smallSend({ to: [{ email: "jane@example.net", attachments }] }),
    smallSend({ to: [{ email: "jane@example.net", variables: { name: 1 }, attachments }] }),
    smallSend({ from: { email: "jane@example.net" } }),
    smallSend({ to: [{ email: "jane@example.net, jane@example.net", name: "jane@\n" }] }),
  ];
  for (const body of bodies) {
    const answer = await api.post(SEND, body);
    assert.equal(answer.status, 400);
    assert.doesNotMatch(JSON.stringify(answer.body), /jane|@/);
  }
});

test("INTERFACE 7: a compressed body is 415, and so is one in another charset", async () => {
  await using api = openTestApp();
  const gzipped = gzipSync(Buffer.from(JSON.stringify(smallSend())));
  for (
    const coding of ["gzip", "deflate", "br", "zstd", "x-gzip", "GZIP", "identity, gzip", "aes"]
  ) {
    for (const body of [gzipped, smallSend()]) {
      const answer = await api.post(SEND, body, { "content-encoding": coding });
      assertError(answer, 415, "unsupported_media_type");
      assert.equal(answer.headers["accept-encoding"], "identity");
    }
  }
  for (const charset of ["utf-16", "latin1", '"iso-8859-1"', "utf-7"]) {
    const type = { "content-type": `application/json; charset=${charset}` };
    assertError(await api.post(SEND, smallSend(), type), 415, "unsupported_media_type");
  }
  const both = { "content-type": "application/json; charset=utf-8; charset=utf-16" };
  assertError(await api.post(SEND, smallSend(), both), 415, "unsupported_media_type");
  assert.equal((await api.post(SEND, smallSend(), { "content-encoding": "identity" })).status, 200);
  assert.equal(api.sends.length, 1);
});

test("INTERFACE 7: a body of another type is 415", async () => {
  await using api = openTestApp();
  for (
    const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded", "json"]
  ) {
    const answer = await api.post(SEND, JSON.stringify(smallSend()), { "content-type": type });
    assertError(answer, 415, "unsupported_media_type");
  }
  const type = { "content-type": "Application/JSON; charset=utf-8" };
  assert.equal((await api.post(SEND, smallSend(), type)).status, 200);
  assertError(await api.post(SEND), 400, "invalid_request");
});

test("INTERFACE 7: an unknown path is 404, an unknown method 405 with Allow", async () => {
  await using api = openTestApp();
  for (
    const url of ["/", "/v1/", "/v2/templates/5/render", "/v1/templates/5/x", "/v1/%zz", "/v1//"]
  ) {
    assertError(await api.get(url), 404, "unknown_route");
  }
  assertError(await api.get(`/v1/messages/${"x".repeat(500)}`), 404, "unknown_route");
  const cases = [["GET", RENDER, "POST"], ["DELETE", SEND, "POST"], ["PUT", SEND, "POST"]] as const;
  for (
    const [method, url, allow] of [...cases, ["POST", "/v1/sends/x", "GET, HEAD, PATCH"]] as const
  ) {
    const answer = await api.app.inject({ method, url, payload: "<x/>" });
    assert.equal(answer.statusCode, 405, `${method} ${url}`);
    assert.equal(answer.headers["allow"], allow);
    assert.equal(errorBodySchema.parse(answer.json()).code, "method_not_allowed");
  }
});

test("INTERFACE 7: a database that fails or hangs is 503 with Retry-After within 2 s", async () => {
  await using apps = new AsyncDisposableStack();
  const failure = new Error("no primary at db-7.internal");
  const hung = Promise.withResolvers<never>();
  hung.promise.catch(() => {});
  const hang = () => hung.promise;
  const fail = () => Promise.reject(failure);
  for (const fault of [fail, hang]) {
    const faulty: Changes<ApiDeps>[] = [
      { tokens: { find: fault } },
      { versions: { latestEmailVersion: fault } },
      { integrations: { find: fault } },
      { sends: { accept: fault } },
    ];
    for (const deps of faulty) {
      const api = openTestApp(deps, { ledgerTimeoutMs: 50 });
      apps.use(api);
      const answer = await api.post(SEND, smallSend());
      assertError(answer, 503, "unavailable");
      assert.ok(Number(answer.headers["retry-after"]) >= 1);
      assert.ok(!JSON.stringify(answer.body).includes("db-7"));
      assert.equal(api.dispatched.length, 0);
      assert.deepEqual(api.log.filter(({ level }) => level === "error").length, 1);
    }
  }
  // Closing waits for the ledger's outstanding answers.
  hung.reject(failure);
});

test("INTERFACE 7: an unexpected error is 500 and reveals nothing", async () => {
  await using api = openTestApp({
    now: () => {
      throw new TypeError("secret detail");
    },
    tokens: { find: openTestToken },
  });
  const answer = await api.post(SEND, smallSend());
  assertError(answer, 500, "internal");
  assert.ok(!JSON.stringify(answer.body).includes("secret"));
  assert.equal(api.log.some(({ level }) => level === "error"), true);
});

function openTestToken() {
  return Promise.resolve({
    _id: "t",
    accountId: "acc_1",
    name: "",
    prefix: "",
    scopes: ["send" as const],
    createdAt: new Date(0),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    createdBy: null,
    ...{ addresses: [], templates: [], integrations: [] },
  });
}

test("INTERFACE 8: bodies beyond the limit are 413, with and without a declared length", async () => {
  await using api = openTestApp();
  const large = JSON.stringify(smallSend({ variables: { text: "x".repeat(10_000_000) } }));
  assertError(await api.post(SEND, large), 413, "payload_too_large");
  const { Readable } = await import("node:stream");
  const streamed = await api.app.inject({
    method: "POST",
    url: SEND,
    headers: { authorization: "Bearer ph_all", "content-type": "application/json" },
    payload: Readable.from([Buffer.from(large)]),
  });
  assert.equal(streamed.statusCode, 413);
  const allowed = JSON.stringify(smallSend({ variables: { text: "x".repeat(4_900_000) } }));
  assert.equal((await api.post(SEND, allowed)).status, 200);
});

test("INTERFACE 8: 1,000 recipients are accepted, 1,001 are not", async () => {
  await using api = openTestApp();
  const to = Array.from({ length: 1001 }, (_, index) => ({ email: `r${index}@example.net` }));
  const answer = await api.post(SEND, smallSend({ to }));
  assertError(answer, 400, "invalid_request");
  assert.deepEqual(answer.body.issues, [
    { path: "to", code: "too_many", message: "must not have more than 1000 recipients" },
  ]);
  assert.equal((await api.post(SEND, smallSend({ to: to.slice(1) }))).body.messages.length, 1000);
});

test("INTERFACE 8: ten attachments per recipient and variables 32 deep are the limits", async () => {
  await using api = openTestApp();
  const attachments = Array.from({ length: 11 }, () => ({ id: 7 }));
  const withFiles = (files: unknown) =>
    smallSend({ to: [{ email: "a@b.example", attachments: files }] });
  assert.deepEqual(pathsOf(await api.post(SEND, withFiles(attachments))), ["to.0.attachments"]);
  assert.equal((await api.post(SEND, withFiles(attachments.slice(1)))).status, 200);
  const nested = (depth: number) => JSON.parse('{"a":'.repeat(depth) + "1" + "}".repeat(depth));
  assert.equal((await api.post(SEND, smallSend({ variables: nested(32) }))).status, 200);
  assert.deepEqual(pathsOf(await api.post(SEND, smallSend({ variables: nested(33) }))), [
    "variables",
  ]);
  assertError(await api.post(RENDER, nested(33)), 400, "invalid_request");
});

test("INTERFACE 8: bodies with countless faults are answered soon, and briefly", async () => {
  await using api = openTestApp();
  const bodies = [
    `{"from":{},"to":[${"1,".repeat(2_000_000)}1]}`,
    `{"from":{},"to":[{"attachments":[${"1,".repeat(2_000_000)}1]}]}`,
    `{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(",")}}`,
    JSON.stringify(smallSend({ ["k".repeat(1_000_000)]: 1 })),
    '{"variables":' + "[".repeat(2_000_000) + "]".repeat(2_000_000) + "}",
    "[".repeat(4_000_000),
    `{"a":[${`${"1".repeat(299)},`.repeat(16_000)}1]}`,
    `{"variables":{"a":[${distinctObjects(6)}]}}`,
    `{"variables":{"a":[${distinctObjects(7)}]}}`,
    '{"a":"' + "\\n".repeat(2_400_000) + '"}x',
    "\n".repeat(4_900_000) + "x",
    JSON.stringify(smallSend({ to: [{ email: "\u{e4}".repeat(2_400_000) }] })),
    ...["!", " ", ".", "{{", "=?"].map((sign) =>
      JSON.stringify(longTexts(sign.repeat(100_000 / sign.length)))
    ),
    JSON.stringify(smallSend({ headers: { "X-Words": `${"a ".repeat(2_400_000)}a` } })),
    `[${"1,".repeat(249_000)}12345678901234567890]`,
    `[12345678901234567890${" ".repeat(4_900_000)}]`,
    `{"variables":{"a":1e400,"b":${'{"x":'.repeat(100_000)}1e400${"}".repeat(100_000)}}}`,
  ];
  const post = (body: string) => async () => {
    const answer = await api.post(SEND, body);
    assert.equal(answer.status, 400);
    assert.ok(JSON.stringify(answer.body).length < 200_000);
  };
  const plainMs = await cpuTimeOf(post(JSON.stringify({ name: "x".repeat(4_900_000) })));
  for (const body of bodies) {
    const ratio = await cpuTimeOf(post(body), { runs: 3, below: 7 * plainMs }) / plainMs;
    assert.ok(ratio < 7, `${body.slice(0, 40)}: ${ratio} times a plain body`);
  }
});

/** Returns a send with a text in every field that takes one. */
function longTexts(run: string) {
  const text = `a${run}a`;
  const file = { content: "aGk=", contentType: `image/${text}`, filename: text, contentId: text };
  const mailbox = { email: text, name: text };
  const unsubscribe = { url: `https://${text}`, mailto: `${text}@example.com` };
  const shared = {
    ...{ replyTo: mailbox, cc: [mailbox], bcc: [mailbox], reference: text, tags: [text] },
    ...{ headers: { "X-Text": text, "List-Id": text }, metadata: { text }, locale: text },
    ...{ variables: { [text]: text }, listUnsubscribe: unsubscribe },
  };
  const attachments = [file, { asset: text, filename: text }];
  return {
    ...{ from: mailbox, sendAt: text, attachments, ...shared },
    to: [{ ...mailbox, ...shared, attachments: [...attachments, { id: text, filename: text }] }],
  };
}

function distinctObjects(count: number): string {
  return Array.from(
    { length: count },
    (_, n) => `{${Array.from({ length: 10_000 }, (_, index) => `"k${n}_${index}":1`).join(",")}}`,
  ).join(",");
}

test("INTERFACE 8: few of countless PDF templates in a send are looked up", async () => {
  let asked = 0;
  await using api = openTestApp({
    versions: {
      latestPdfVersion: () => {
        asked++;
        return Promise.resolve(null);
      },
    },
  }, { capacity: { maxOperations: 200, maxBytes: 10_000_000 } });
  const to = Array.from({ length: 1000 }, (_, index) => ({
    email: "a@b.example",
    attachments: Array.from({ length: 10 }, (_, position) => ({ id: 10 * index + position + 1 })),
  }));
  const answer = await api.post(SEND, smallSend({ to }));
  assertError(answer, 400, "invalid_request");
  assert.deepEqual(answer.body.issues[0], {
    path: "to",
    code: "too_many",
    message: "must not use more than 100 different PDF templates",
  });
  assert.equal(asked, 100);
});

test("INTERFACE 8: variables that are too large for a renderer are 413, without Retry-After", async () => {
  await using api = openTestApp();
  assert.equal((await api.post(RENDER, { a: "x".repeat(500_000) })).status, 200);
  assertError(await api.post(RENDER, { a: "x".repeat(600_000) }), 413, "payload_too_large");
  // Serialized again, it is five times as long.
  const numbers = `{"a":[${Array(24_000).fill("1e20").join(",")}]}`;
  assertError(await api.post(RENDER, numbers), 413, "payload_too_large");
});

test("INTERFACE 8: a token that makes too many requests gets 429, and others do not", async () => {
  await using api = openTestApp({}, { rateLimit: 3, rateWindowMs: 60_000 });
  for (let left = 2; left >= 0; left--) {
    const answer = await api.post(RENDER, {});
    assert.equal(answer.status, 200);
    assert.equal(String(answer.headers["ratelimit-remaining"]), String(left));
  }
  const answer = await api.post(RENDER, {});
  assertError(answer, 429, "too_many_requests");
  assert.ok(Number(answer.headers["retry-after"]) >= 1);
  assert.equal(String(answer.headers["ratelimit-limit"]), "3");
  assert.equal(answer.headers["ratelimit-policy"], '"token";q=3;w=60');
  assert.equal(answer.headers["ratelimit"], '"token";r=0;t=60');
  assert.equal((await api.post(RENDER, {}, { authorization: "Bearer ph_render" })).status, 200);
});

test("INTERFACE 8: searches and heavy requests have limits of their own", async () => {
  await using api = openTestApp({ clock: { now: () => 1 } }, {
    ...{ searchRateLimit: 1, heavyRateLimit: 1 },
  });
  const kinds = [
    ["search", () => api.get("/v1/messages"), () => api.get("/v1/sends")],
    [
      "heavy",
      () => api.post(`${SEND}/dry-run`, {}),
      () => api.post("/v1/pdf-templates/7/render", {}),
    ],
  ] as const;
  for (const [name, first, second] of kinds) {
    assert.equal((await first()).headers["ratelimit-policy"], `"${name}";q=1;w=1`);
    assertError(await second(), 429, "too_many_requests");
  }
  assert.equal((await api.post(RENDER, {})).status, 200);
});

test("INTERFACE 8: events of some types count as a search, and all events do not", async () => {
  await using api = openTestApp({ clock: { now: () => 1 } }, { searchRateLimit: 2 });
  const ask = (query: string) => api.get(`/v1/events${query}`);
  for (const query of ["", "?types=", "?limit=1", "?after=latest"]) {
    assert.equal((await ask(query)).headers["ratelimit-policy"], undefined, query);
  }
  const typed = await ask("?types=message.sent");
  assert.equal(typed.headers["ratelimit-policy"], '"search";q=2;w=1');
  await api.get("/v1/messages");
  assertError(await ask("?wait=0&types=message.sent"), 429, "too_many_requests");
  assert.notEqual((await ask("")).status, 429);
});

test("INTERFACE 9: the version is part of the path", async () => {
  await using api = openTestApp();
  assert.equal((await api.post("/v1/templates/5/render", {})).status, 200);
  assertError(await api.post("/templates/5/render", {}), 404, "unknown_route");
});
