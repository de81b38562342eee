import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { openStubServer, type StubAnswer } from "@posthaste/kit";
import { createClient, PosthasteError } from "./mod.ts";
import { OPERATIONS } from "./operations.ts";

const ACCEPTED = { status: "success", message: "", id: "snd_1", messages: [] };
const BUSY: StubAnswer = {
  status: 503,
  headers: { "retry-after": "0" },
  body: { error: "Cannot take more", code: "unavailable" },
};
const BODY = { from: { email: "shop@example.com" }, to: [{ email: "jane@example.net" }] };
const token = "ph_test";

function failure(expected: Partial<PosthasteError>) {
  return (error: unknown) => {
    assert.ok(error instanceof PosthasteError);
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(error[key as keyof PosthasteError], value);
    }
    return true;
  };
}

test("send() tries again on 503 and on broken connections, with one key", async () => {
  await using stub = await openStubServer((count, { response }) => {
    if (count === 1) return BUSY;
    if (count === 2) return void response.destroy();
    return { status: 200, body: ACCEPTED };
  });
  const posthaste = createClient({ url: `${stub.url}/v1/`, token });
  assert.deepEqual(await posthaste.send(5, 3, BODY), ACCEPTED);
  const [first] = stub.seen;
  assert.equal(first?.route, "POST /v1/templates/5/send/3");
  assert.equal(first?.headers.authorization, "Bearer ph_test");
  assert.equal(first?.headers["content-type"], "application/json");
  assert.deepEqual(JSON.parse(first?.body ?? ""), BODY);
  const keys = stub.seen.map(({ headers }) => headers["idempotency-key"]);
  assert.match(String(keys[0]), /^[\w-]{36}$/);
  assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
  await posthaste.send(5, 3, BODY);
  assert.notEqual(stub.seen.at(-1)?.headers["idempotency-key"], keys[0]);
  await posthaste.send(5, 3, BODY, { idempotencyKey: "order-42" });
  assert.equal(stub.seen.at(-1)?.headers["idempotency-key"], "order-42");
});

test("send() gives up after three tries, and immediately on a long Retry-After", async () => {
  let retryAfter = "0";
  await using stub = await openStubServer(() => ({
    status: 429,
    headers: { "retry-after": retryAfter, "x-request-id": "req_1" },
    body: { error: "Too many requests", code: "too_many_requests" },
  }));
  const posthaste = createClient({ url: stub.url, token });
  const expected = failure({ status: 429, code: "too_many_requests", requestId: "req_1" });
  await assert.rejects(posthaste.send(5, 3, BODY), expected);
  assert.equal(stub.seen.length, 3);
  retryAfter = "3600";
  await assert.rejects(posthaste.send(5, 3, BODY), expected);
  assert.equal(stub.seen.length, 4);
});

test("createClient() throws refusals without a retry, with everything that is wrong", async () => {
  const issues = [{ path: "to.0.email", code: "bad_address", message: "is not an address" }];
  const answers: StubAnswer[] = [
    { status: 400, body: { error: "Cannot send", code: "invalid_request", issues } },
    { status: 401, body: { error: "Unauthenticated" } },
    { status: 200, body: "<html>" },
    { status: 302, headers: { location: "https://example.com/" } },
  ];
  await using stub = await openStubServer((count) => answers[count - 1]);
  const posthaste = createClient({ url: stub.url, token });
  const expected = [
    { status: 400, code: "invalid_request", message: "Cannot send", issues },
    { status: 401, code: "unauthenticated", issues: [] },
    { status: 200, code: "unreadable_answer" },
    { status: 302, code: "unreadable_answer" },
  ];
  for (const each of expected) await assert.rejects(posthaste.service(), failure(each));
  assert.equal(stub.seen.length, 4);
});

test("createClient() ends a try by its timeout, and everything by the caller's signal", async () => {
  await using stub = await openStubServer((count) => count === 1 ? undefined : BUSY);
  const hasty = createClient({ url: stub.url, token, timeoutMs: 20, tries: 1 });
  await assert.rejects(hasty.service(), failure({ status: 0, code: "timeout" }));
  const controller = new AbortController();
  const reason = new Error("the caller has gone");
  const { signal } = controller;
  const asked = [1, 1_000].map((tries) =>
    createClient({ url: stub.url, token, tries }).service({ signal })
  );
  controller.abort(reason);
  for (const answer of asked) await assert.rejects(answer, (error) => error === reason);
});

test("createClient() says why a server cannot be reached", async () => {
  const { url, ...stub } = await openStubServer(() => BUSY);
  await stub[Symbol.asyncDispose]();
  const posthaste = createClient({ url, token, tries: 1 });
  const unreachable = failure({ status: 0, code: "network" });
  await assert.rejects(posthaste.service(), unreachable);
  await assert.rejects(posthaste.service(), /Cannot reach "http:\/\/127.*": .*ECONNREFUSED/);
});

test("list() follows the cursor, with its filters, and stops when the caller does", async () => {
  const page = (data: number[], next: string | null) => ({ status: 200, body: { data, next } });
  await using stub = await openStubServer((count) =>
    [page([1, 2], "b"), page([], "c"), page([3], null)][(count - 1) % 3]
  );
  const { messages } = createClient({ url: stub.url, token });
  const from = new Date(0);
  const list = messages.list({ state: "failed", from: from.toISOString(), templateId: 5 });
  assert.deepEqual(await Array.fromAsync(list), [1, 2, 3]);
  const query = "state=failed&from=1970-01-01T00%3A00%3A00.000Z&templateId=5";
  assert.deepEqual(stub.seen.map(({ route }) => route), [
    `GET /v1/messages?${query}`,
    `GET /v1/messages?${query}&cursor=b`,
    `GET /v1/messages?${query}&cursor=c`,
  ]);
  for await (const _first of list) break;
  assert.equal(stub.seen.length, 4);
});

test("createClient() returns files as bytes, and refusals of files as errors", async () => {
  const file = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff, 0xfe]);
  await using stub = await openStubServer((count, { response }) => {
    const error = { error: "Cannot show it", code: "content_removed" };
    if (count === 3) return { status: 410, body: error };
    response.writeHead(200, { "content-type": "application/pdf" });
    response.end(file);
  });
  const { messages, pdfTemplates } = createClient({ url: stub.url, token });
  const printed = await pdfTemplates.render("invoice", { number: 42 });
  assert.deepEqual(printed, new Uint8Array(file));
  assert.deepEqual(await messages.attachment("msg_1", 0), new Uint8Array(file));
  const removed = failure({ status: 410, code: "content_removed" });
  await assert.rejects(messages.attachment("msg_1", 1), removed);
  assert.deepEqual(stub.seen.map(({ route, body }) => [route, body]), [
    ["POST /v1/pdf-templates/invoice/render", '{"number":42}'],
    ["GET /v1/messages/msg_1/attachments/0", ""],
    ["GET /v1/messages/msg_1/attachments/1", ""],
  ]);
});

test("createClient() writes times, positions and flags as the interface reads them", async () => {
  await using stub = await openStubServer(() => ({ status: 200, body: {} }));
  const { dryRun, events, messages, sends } = createClient({ url: stub.url, token });
  await sends.reschedule("snd_1", new Date(0));
  await sends.reschedule("snd_1", null);
  await dryRun("welcome", 3, BODY, { recipients: [0, 5] });
  await dryRun("welcome", 3, BODY);
  await messages.explain("msg_1", { values: true });
  await messages.explain("msg_1");
  await events.read({ after: "a", types: ["message.sent", "send.settled"], limit: 5, wait: 0 });
  assert.deepEqual(stub.seen.map(({ route, body }) => `${route} ${body}`.trim()), [
    'PATCH /v1/sends/snd_1 {"sendAt":"1970-01-01T00:00:00.000Z"}',
    'PATCH /v1/sends/snd_1 {"sendAt":null}',
    `POST /v1/templates/welcome/send/3/dry-run?recipients=0%2C5 ${JSON.stringify(BODY)}`,
    `POST /v1/templates/welcome/send/3/dry-run ${JSON.stringify(BODY)}`,
    "GET /v1/messages/msg_1/explain?values=true",
    "GET /v1/messages/msg_1/explain",
    "GET /v1/events?after=a&limit=5&wait=0&types=message.sent%2Csend.settled",
  ]);
  // What is tried again must not be tried under a key that only sends have.
  assert.ok(stub.seen.every(({ headers }) => headers["idempotency-key"] === undefined));
});

test("follow() reads on over empty pages and faults that pass, and ends by its signal", async () => {
  const page = (data: number[], next: string) => ({ status: 200, body: { data, next } });
  const answers = [page([1, 2], "b"), page([], "c"), BUSY, page([3], "d")];
  await using stub = await openStubServer((count) => answers[count - 1]);
  const { events } = createClient({ url: stub.url, token, tries: 1 });
  const controller = new AbortController();
  const reason = new Error("the program ends");
  const seen: unknown[] = [];
  const following = (async () => {
    const feed = events.follow({ types: ["message.sent"], signal: controller.signal });
    for await (const event of feed) {
      seen.push(event);
      if (seen.length === 3) controller.abort(reason);
    }
  })();
  await assert.rejects(following, (error) => error === reason);
  assert.deepEqual(seen, [1, 2, 3]);
  const query = "wait=15&types=message.sent";
  assert.deepEqual(stub.seen.slice(0, 4).map(({ route }) => route), [
    `GET /v1/events?${query}`,
    `GET /v1/events?after=b&${query}`,
    `GET /v1/events?after=c&${query}`,
    `GET /v1/events?after=c&${query}`,
  ]);
});

test("follow() gives the cursor of each page, and throws what does not pass", async () => {
  const expired = { error: "Cannot read the events", code: "events_expired" };
  await using stub = await openStubServer((count) =>
    count === 1 ? { status: 200, body: { data: [1], next: "b" } } : { status: 410, body: expired }
  );
  const { events } = createClient({ url: stub.url, token });
  const cursors: string[] = [];
  await assert.rejects(async () => {
    for await (const { next } of events.follow({ after: "latest" }).pages()) cursors.push(next);
  }, failure({ status: 410, code: "events_expired" }));
  assert.deepEqual(cursors, ["b"]);
  assert.match(stub.seen[0]?.route ?? "", /after=latest&wait=15$/);
});

test("createClient() keeps names within their segment of the path", async () => {
  await using stub = await openStubServer(() => ({ status: 200, body: {} }));
  const { messages } = createClient({ url: stub.url, token });
  await messages.get("../sends/a?b#c");
  assert.deepEqual(stub.seen[0]?.route, "GET /v1/messages/..%2Fsends%2Fa%3Fb%23c");
  for (const id of ["..", ".", ""]) await assert.rejects(messages.get(id), TypeError);
});

test("createClient() refuses URLs and tokens that cannot work", () => {
  for (const url of ["mail.example.com", "ftp://a", "https://a?b", "https://u:p@a", "http://"]) {
    assert.throws(() => createClient({ url, token }), /Cannot use the URL/, url);
  }
  for (const bad of ["", "ph_a b", "ph_a\n"]) {
    assert.throws(() => createClient({ url: "http://a", token: bad }), /Cannot use the access/);
  }
});

test("createClient() has a method for every operation", async () => {
  const source = await readFile(new URL("client.ts", import.meta.url), "utf8");
  const missing = Object.keys(OPERATIONS).filter((name) => !source.includes(`"${name}"`));
  assert.deepEqual(missing, [], "client/client.ts lacks a line for each of these");
});
