import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SendAccepted } from "@posthaste/contracts";
import { freePort } from "@posthaste/embedded";
import { openSmtpSink, type SmtpSink, until } from "@posthaste/kit";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";
import { type MessageView, SENDER } from "./system.ts";
import { openTimeTravel } from "./time_travel.ts";

interface Refused {
  error: string;
  code?: string;
  issues?: { path: string; message: string }[];
}

let system: JoinedSystem;
let sink: SmtpSink;
let integration: number;
let template: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  sink = stack.use(await openSmtpSink());
  system = stack.use(await joinSystem());
  integration = await system.connect(sink.port);
  template = await system.publishEmail({
    alias: "note",
    subject: "Note {{ n }}",
    html: "<p>{{ n }}",
    variables: [{ name: "n", required: false }],
  });
  opened = stack.move();
});
after(() => opened?.disposeAsync());

const to = [{ email: "jane@reader.example" }];

/** Sends one mail and returns its message at rest. */
async function sendOne(order: { integration: number; template?: number }) {
  const { id, messages } = await system.send({ template, to, ...order });
  await system.untilResting(id);
  return { sendId: id, message: await system.message(messages[0]?.id ?? "") };
}

/** Checks that a message was deferred to about the first of its retries: 1 min, give or take a fifth. */
function assertRetriesSoon({ nextAt, timeline }: MessageView) {
  const deferred = timeline.findLast(({ type }) => type === "deferred");
  const wait = Date.parse(nextAt ?? "") - Date.parse(deferred?.at ?? "");
  assert.ok(wait >= 48_000 && wait <= 72_000, `waits ${wait} ms`);
}

describe("what goes wrong with mail", { concurrency: true }, () => {
  test("a permanently refused recipient fails its message, and no other", async () => {
    await using server = await openSmtpSink({
      script: ({ stage, address }) =>
        stage === "rcpt" && address.startsWith("nobody")
          ? { reply: "550 5.1.1 No such user here" }
          : undefined,
    });
    const accepted = await system.send({
      template,
      integration: await system.connect(server.port),
      to: [{ email: "nobody@reader.example" }, { email: "somebody@reader.example" }],
    });
    const { states } = await system.untilDone(accepted.id);
    assert.deepEqual(states, { failed: 1, sent: 1 });
    const message = await system.message(accepted.messages[0]?.id ?? "");
    assert.equal(message.state, "failed");
    assert.equal(message.reason, "The SMTP server refused the recipient address");
    assert.equal(message.reply?.code, 550);
    assert.match(message.reply?.response ?? "", /No such user here/);
    assert.equal(message.nextAt, null);
    assert.notEqual(message.finishedAt, null);
    assert.deepEqual(server.messages.map(({ envelope }) => envelope.to), [[
      "somebody@reader.example",
    ]]);
  });

  test("a server that is busy defers a message, which goes out later with the same bytes", async () => {
    await using travel = openTimeTravel(system);
    // The first two attempts end after the mail was handed over: refused, and then without a word.
    await using server = await openSmtpSink({
      script: ({ stage, before }) =>
        stage !== "dot"
          ? undefined
          : before === 0
          ? { reply: "451 4.7.1 Try again later" }
          : before === 1
          ? { drop: true }
          : undefined,
    });
    const pdf = await system.publishPdf({ html: "<p>{{ n }}" });
    const accepted = await system.send({
      template,
      integration: await system.connect(server.port),
      to: [{ ...to[0], email: "busy@reader.example", attachments: [{ id: pdf }] }],
      variables: { n: 1 },
    });
    const id = accepted.messages[0]?.id ?? "";
    await system.untilResting(accepted.id);
    const deferred = await system.message(id);
    assert.equal(deferred.state, "deferred");
    assert.equal(deferred.reply?.code, 451);
    assert.equal(deferred.reason, "The SMTP server did not accept the mail for now");
    assertRetriesSoon(deferred);

    for (const attempt of [2, 3]) {
      await travel.endDeferral(accepted.id);
      await until(async () => (await system.message(id)).attempt === attempt);
      await system.untilResting(accepted.id);
    }
    const message = await system.message(id);
    assert.equal(message.state, "sent");
    assert.deepEqual(
      message.timeline.map(({ type }) => type).filter((type) =>
        type !== "rendered" && type !== "printed"
      ),
      ["queued", "sending", "deferred", "sending", "deferred", "sending", "sent"],
    );
    // The mailer cannot know that the second attempt arrived: the duplicate is the same, byte for byte.
    assert.equal(server.messages.length, 2);
    assert.deepEqual(server.messages[0]?.raw, server.messages[1]?.raw);
  });

  test("a server that is down defers a message", async () => {
    const { message } = await sendOne({ integration: await system.connect(await freePort()) });
    assert.equal(message.state, "deferred");
    assert.equal(
      message.reason,
      "The SMTP server does not answer, or accepts no mail at the moment",
    );
    assert.equal(message.reply, null);
    assertRetriesSoon(message);
  });

  test("an untrusted certificate defers a message, and no mail is sent", async () => {
    for (const tls of ["starttls", "implicit"] as const) {
      await using server = await openSmtpSink({ tls });
      const { message } = await sendOne({
        integration: await system.connect(server.port, { tls }),
      });
      assert.equal(message.state, "deferred");
      assert.match(message.reason ?? "", /certificate/);
      assert.equal(server.messages.length, 0);
    }
  });

  test("a server without the required encryption gets no mail", async () => {
    await using server = await openSmtpSink();
    const { message } = await sendOne({
      integration: await system.connect(server.port, { tls: "starttls" }),
    });
    assert.equal(message.state, "deferred");
    assert.match(message.reason ?? "", /encrypt/);
    assert.equal(server.messages.length, 0);
  });

  test("a template that cannot be filled fails only the message with its values", async () => {
    const dated = await system.publishEmail({ subject: "On {{date day}}", html: "<p>Hi" });
    const accepted = await system.send({
      template: dated,
      integration,
      to: [
        { email: "bad@dated.example", variables: { day: "soon" } },
        { email: "good@dated.example", variables: { day: "2026-03-01" } },
      ],
    });
    const { states } = await system.untilDone(accepted.id);
    assert.deepEqual(states, { failed: 1, sent: 1 });
    const { state, reason } = await system.message(accepted.messages[0]?.id ?? "");
    assert.equal(state, "failed");
    assert.match(reason ?? "", /^The template could not be filled: .*Cannot format date "soon"/);
  });

  test("a PDF that cannot be printed fails only its own message", async () => {
    const long = await system.publishPdf({
      html: "{{#each parts}}<p style='break-after: page'>{{ this }}</p>{{/each}}",
    });
    const accepted = await system.send({
      template,
      integration,
      to: [
        {
          email: "long@printed.example",
          attachments: [{
            id: long,
            variables: { parts: Array.from({ length: 510 }, (_, n) => n) },
          }],
        },
        { email: "short@printed.example", attachments: [{ id: long, variables: { parts: [1] } }] },
        { email: "without@printed.example" },
      ],
    });
    const { states } = await system.untilDone(accepted.id);
    assert.deepEqual(states, { failed: 1, sent: 2 });
    const { state, reason } = await system.message(accepted.messages[0]?.id ?? "");
    assert.equal(state, "failed");
    assert.equal(reason, "A PDF could not be printed: it has more than 500 pages");
  });
});

describe("what is refused", () => {
  test("a bad request queues nothing and harms no process", async () => {
    const path = `/templates/note/send/${integration}`;
    const from = { email: SENDER };
    const recipients = (n: number) =>
      Array.from({ length: n }, (_, i) => ({ email: `r${i}@many.example` }));
    const valid = { from, to };
    const bodies: [name: string, body: unknown, status: number, code: string][] = [
      ["nothing", "", 400, "invalid_json"],
      ["half an object", '{"from":', 400, "invalid_json"],
      ["a list", [valid], 400, "invalid_request"],
      ["null", "null", 400, "invalid_request"],
      ["__proto__", `{"__proto__":{"a":1},"from":{}}`, 400, "invalid_json"],
      [
        "__proto__ in variables",
        `{"from":{"email":"${SENDER}"},"to":[{"email":"a@b.example"}],"variables":{"__proto__":{}}}`,
        400,
        "invalid_json",
      ],
      ["no from", { to }, 400, "invalid_request"],
      ["no to", { from }, 400, "invalid_request"],
      ["an empty to", { from, to: [] }, 400, "invalid_request"],
      ["another sender", { to, from: { email: "else@sender.example" } }, 400, "sender_not_allowed"],
      ["no address", { from, to: [{ email: "jane" }] }, 400, "invalid_request"],
      [
        "two addresses",
        { from, to: [{ email: "a@b.example, c@d.example" }] },
        400,
        "invalid_request",
      ],
      [
        "a line break in a name",
        { from, to: [{ email: "a@b.example", name: "A\r\nBcc: c@d.example" }] },
        400,
        "invalid_request",
      ],
      [
        "a PDF template that is not there",
        { from, to: [{ email: "a@b.example", attachments: [{ id: 999 }] }] },
        400,
        "unknown_pdf_template",
      ],
      ["variables of text", { ...valid, variables: "n" }, 400, "invalid_request"],
      [
        "too deep variables",
        { ...valid, variables: JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`) },
        400,
        "invalid_request",
      ],
      ["1,001 recipients", { from, to: recipients(1001) }, 400, "invalid_request"],
    ];
    const pids = [...system.stack.services.values()].map(({ pid }) => pid);
    const before = await countSends();
    for (const [name, body, status, code] of bodies) {
      const answer = await system.post<Refused>(path, body);
      assert.deepEqual({ name, status: answer.status, code: answer.body.code }, {
        name,
        status,
        code,
      });
      assert.equal(typeof answer.body.error, "string");
    }
    const { status } = await system.post(path, "n=1", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(status, 415);
    const huge = JSON.stringify({ ...valid, variables: { n: "x".repeat(10_000_000) } });
    // The answer comes before the body is in, and a client that still writes may not get to read it.
    const tooLarge = await system.post<Refused>(path, huge).catch(() => undefined);
    if (tooLarge !== undefined) assert.equal(tooLarge.status, 413);
    assert.equal(await countSends(), before);
    assert.deepEqual([...system.stack.services.values()].map(({ pid }) => pid), pids);
    for (const { healthUrl } of system.stack.services.values()) {
      assert.equal((await fetch(`${healthUrl}/readyz`)).status, 200);
    }
    assert.equal((await system.post(path, valid)).status, 200);
  });

  test("objects of another account do not exist", async () => {
    const other = await system.store.accounts.create({ name: "Another" });
    const { token } = await system.store.tokens.create({
      accountId: other._id,
      name: "t",
      scopes: ["render", "send", "read"],
    });
    const draft = { subject: "Theirs", html: "<p>Theirs" };
    const theirs = await system.publishEmail(draft, other._id);
    const own = await system.send({ template, integration, to });
    const order = { from: { email: SENDER }, to };
    const hidden: [method: "post" | "get", path: string, code: string][] = [
      ["post", `/templates/note/render`, "unknown_template"],
      ["post", `/templates/${template + 1}/send/${integration}`, "unknown_template"],
      ["post", `/templates/${theirs}/send/${integration}`, "unknown_integration"],
      ["get", `/sends/${own.id}`, "unknown_send"],
      ["get", `/messages/${own.messages[0]?.id}`, "unknown_message"],
    ];
    for (const [method, path, code] of hidden) {
      const answer = method === "post"
        ? await system.post<Refused>(path, order, { token })
        : await system.get<Refused>(path, { token });
      assert.deepEqual({ path, status: answer.status, code: answer.body.code }, {
        path,
        status: 404,
        code,
      });
    }
    assert.equal((await system.get(`/sends/${own.id}`)).status, 200);
  });

  test("a revoked token soon stops working, everywhere", async () => {
    const { token, record } = await system.store.tokens.create({
      accountId: system.accountId,
      name: "short-lived",
      scopes: ["render"],
    });
    const render = () => system.post<Refused>("/templates/note/render", { n: 1 }, { token });
    assert.equal((await render()).status, 200);
    await system.store.tokens.revoke(system.accountId, record._id);
    const refused = await until(async () => {
      const answer = await render();
      return answer.status === 200 ? undefined : answer;
    }, { timeoutMs: 60_000, everyMs: 100, message: "the token to be refused" });
    assert.equal(refused.status, 401);
    assert.deepEqual(refused.body, { error: "Unauthenticated" });
  });

  test("thirty concurrent duplicates under one Idempotency-Key are one send", async () => {
    const path = `/templates/note/send/${integration}`;
    const order = { from: { email: SENDER }, to: [{ email: "duplicate@reader.example" }] };
    const headers = { "idempotency-key": "order-42" };
    const before = await countSends();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => system.post<SendAccepted>(path, order, { headers })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const [first] = answers;
    for (const { body } of answers) assert.deepEqual(body, first?.body);
    const replayed = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true");
    assert.equal(replayed.length, 29);
    assert.equal(await countSends() - before, 1);
    await system.untilDone(first?.body.id ?? "");
    const arrived = sink.messages.filter(({ envelope }) =>
      envelope.to[0] === "duplicate@reader.example"
    );
    assert.equal(arrived.length, 1);
    const other = await system.post<Refused>(path, { ...order, variables: { n: 2 } }, { headers });
    assert.deepEqual([other.status, other.body.code], [422, "idempotency_mismatch"]);
  });
});

async function countSends(): Promise<number> {
  return (await system.store.sends.list(system.accountId, { limit: 1000 })).length;
}
