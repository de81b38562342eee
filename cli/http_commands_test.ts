import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { messageIdOf, newSendId } from "@posthaste/contracts";
import { openStub } from "./_open_stub.ts";
import { runCliProcess } from "./_run_cli.ts";
import { EXIT } from "./exit_code.ts";

const SEND_ID = newSendId("acc_1");
const MESSAGE_ID = messageIdOf(SEND_ID, 0);
const AT = "2026-03-01T10:00:00.000Z";

function message(state: string, more: object = {}) {
  return {
    id: MESSAGE_ID,
    sendId: SEND_ID,
    email: "jane@example.net",
    state,
    attempt: 1,
    acceptedAt: AT,
    finishedAt: "2026-03-01T10:00:01.500Z",
    nextAt: null,
    reason: null,
    reply: null,
    timeline: [
      { at: "2026-03-01T10:00:00.020Z", type: "rendered", attempt: 0, durationMs: 3.4 },
      { at: "2026-03-01T10:00:01.500Z", type: state, attempt: 1, durationMs: 250, detail: "done" },
    ],
    ...more,
  };
}

test("renderCommand() posts the data and prints the parts, or one as it is", async () => {
  const rendered = { subject: "Hi Ada", html: "<p>Ada</p>", text: "Ada\n" };
  await using stub = await openStub(() => [200, rendered]);
  await writeFile(join(stub.folder, "data.json"), '{"name":"Ada"}');
  const { code, stdout, stderr } = await stub.run("render welcome --data data.json");
  assert.equal(code, EXIT.ok, stderr);
  assert.equal(stdout, "SUBJECT\nHi Ada\n\nHTML\n<p>Ada</p>\n\nTEXT\nAda\n");
  assert.equal(stub.seen[0]?.route, "POST /v1/templates/welcome/render");
  assert.equal(stub.seen[0]?.headers.authorization, "Bearer ph_test");
  assert.equal(stub.seen[0]?.body, '{"name":"Ada"}');
  assert.equal((await stub.run("render welcome --part html")).stdout, "<p>Ada</p>");
  assert.deepEqual(JSON.parse((await stub.run("render 1 --json")).stdout), rendered);
});

test("sendCommand() posts the request with its key and prints the messages", async () => {
  const accepted = {
    status: "success",
    message: "1 email was put in the queue",
    id: SEND_ID,
    messages: [{ id: MESSAGE_ID, email: "jane@example.net" }],
  };
  await using stub = await openStub(() => [200, accepted]);
  const args = "send welcome 3 --data - --idempotency-key k-1";
  const sent = await stub.run(args, '{"to":[]}', runCliProcess);
  assert.equal(sent.code, EXIT.ok, sent.stderr);
  assert.match(sent.stdout, new RegExp(`in the queue: ${SEND_ID}\n\n.*\n${MESSAGE_ID} +jane@`));
  assert.equal(stub.seen[0]?.route, "POST /v1/templates/welcome/send/3");
  assert.equal(stub.seen[0]?.headers["idempotency-key"], "k-1");
  const json = await stub.run("send welcome 3 --data - --json", "{}");
  assert.deepEqual(JSON.parse(json.stdout), accepted);
});

test("statusCommand() shows why a message waits, and its place in line", async () => {
  const reason = "Other messages of this integration go first";
  const waits = { attempt: 0, finishedAt: null, timeline: [] };
  const answers = [
    message("queued", { ...waits, waiting: { reason, ahead: 1234 } }),
    message("deferred", { ...waits, reason, waiting: { reason, ahead: 0 } }),
  ];
  await using stub = await openStub((_, count) => [200, answers[count - 1]]);
  const queued = (await stub.run(`status ${MESSAGE_ID}`)).stdout;
  assert.match(queued, new RegExp(`Waits +behind 1,234 others: ${reason}\n`));
  const waiting = (await stub.run(`status ${MESSAGE_ID}`)).stdout;
  assert.match(waiting, new RegExp(`Reason +${reason}\n +Waits +next in the queue\n`));
});

test("openApi() turns refusals into exit codes, each issue on a line", async () => {
  const issues = [{ path: "to.0.email", message: "must not be empty" }];
  const answers: [number, unknown][] = [
    [400, { error: "Cannot accept the send: 1 fault", code: "invalid_request", issues }],
    [
      400,
      {
        error: "Cannot accept the send: to.0.email: must not be empty",
        ...{ code: "invalid_request", issues },
      },
    ],
    [401, { error: "Unauthenticated" }],
    [404, { error: "there is no template", code: "unknown_template" }],
    [503, { error: "busy", code: "unavailable" }],
    [200, "<html>"],
  ];
  await using stub = await openStub((_seen, count) => answers[count - 1] ?? [500, ""]);
  const runs = [];
  for (const _answer of answers) runs.push(await stub.run("send a 1 --data -", "{}"));
  const { refused, notFound, failed } = EXIT;
  assert.deepEqual(runs.map(({ code }) => code), [
    ...[refused, refused, refused, notFound, failed, failed],
  ]);
  assert.match(runs[0]?.stderr ?? "", /1 fault\n {2}to\.0\.email: must not be empty\n/);
  assert.match(
    runs[1]?.stderr ?? "",
    /^error: Cannot accept the send: to\.0\.email: must not be empty\n$/,
  );
  const broken = await stub.run("send a 1 --data -", '{\n  "to": [1,]\n}');
  assert.equal(broken.code, EXIT.refused);
  assert.match(broken.stderr, /<stdin>:2:12: not valid JSON/);
  assert.equal(stub.seen.length, answers.length, "broken JSON is not sent");
});

test("statusCommand() shows the timeline and removes a server's control characters", async () => {
  const reply = { code: 250, response: "250 \x1b[2Jqueued\x07 as 1" };
  await using stub = await openStub(() => [200, message("sent", { reply })]);
  const { code, stdout, stderr } = await stub.run(`status ${MESSAGE_ID}`);
  assert.equal(code, EXIT.ok, stderr);
  assert.match(stdout, /State +sent after 1\.5 s, 1 attempt\n/);
  assert.match(stdout, /Server +250 queued� as 1\n/);
  assert.match(stdout, /10:00:00\.020 +\+20 ms +rendered +3\.4 ms\n/);
  assert.match(stdout, /10:00:01\.500 +\+1\.5 s +sent +1 +250 ms +done\n$/);
  assert.ok(!stdout.includes("\x1b"));
});

test("statusCommand() watches a send until the last message and ends with 1 if one failed", async () => {
  const send = (state: string) => ({
    id: SEND_ID,
    acceptedAt: AT,
    template: { id: 1, version: 2 },
    integrationId: 3,
    messageCount: 1,
    settled: state === "failed",
    states: { [state]: 1 },
    messages: [{ id: MESSAGE_ID, email: "jane@example.net", state }],
  });
  const states = ["sending", "failed"];
  await using stub = await openStub(({ route }, count) => {
    if (count === 1) return [503, { error: "busy", code: "unavailable" }];
    const state = states[Math.min(1, Math.floor((count - 2) / 2))] ?? "";
    return [200, route.includes("/sends/") ? send(state) : message(state)];
  });
  const { code, stdout, stderr } = await stub.run(`status ${SEND_ID} --watch`);
  assert.equal(code, EXIT.failed, stderr);
  assert.match(stdout, /Messages +1 sending[\s\S]*Messages +1 failed/);
  const late = await stub.run(`status ${SEND_ID} --watch --timeout 1ms --json`);
  assert.equal(JSON.parse(late.stdout).id, SEND_ID);
});

test("typesCommand() prints the variables of every published template that has an alias", async () => {
  const page = (data: object[], next: string | null = null) => ({ data, next });
  const schema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
  const answers: Record<string, unknown> = {
    "/v1/templates?limit=100": page([{ id: 1, alias: "welcome" }], "a b"),
    "/v1/templates?limit=100&cursor=a%20b": page([{ id: 2, alias: null }]),
    "/v1/templates/1/schema": schema,
    "/v1/pdf-templates?limit=100": page([{ id: 1, alias: "invoice-2" }]),
    "/v1/pdf-templates/1/schema": { type: "object" },
  };
  await using stub = await openStub(({ route }) => [200, answers[route.slice("GET ".length)]]);
  const { code, stdout } = await stub.run("types");
  assert.equal(code, EXIT.ok);
  assert.match(
    stdout,
    /interface Templates \{\n {4}welcome: \{\n {6}name: string;\n {4}\};\n {2}\}/,
  );
  assert.match(stdout, /"invoice-2": Record<string, unknown>;/);
  assert.equal(stub.seen.length, 5);
  const { stdout: json } = await stub.run("types --json");
  assert.deepEqual(JSON.parse(json), {
    email: { welcome: schema },
    pdf: { "invoice-2": { type: "object" } },
  });
});

test("statusCommand() shows no next attempt in the past while mail waits for its server", async () => {
  const away = "The SMTP server cannot be reached: no answer";
  const deferred = { finishedAt: null, nextAt: AT, reason: away };
  let answer = message("deferred", { ...deferred, waiting: { reason: away, ahead: 0 } });
  await using stub = await openStub(() => [200, answer]);
  const status = async () => (await stub.run(`status ${MESSAGE_ID}`)).stdout;
  const waits = await status();
  assert.match(waits, /State +deferred, 1 attempt\n/);
  assert.match(waits, /Reason +The SMTP server cannot be reached.*\n +Waits +next in the queue\n/);
  answer = message("deferred", deferred);
  assert.match(await status(), /State +deferred, 1 attempt, next one is due\n/);
  answer = message("deferred", { ...deferred, nextAt: "2126-03-01T10:00:00.000Z" });
  assert.match(await status(), /, next one 2126-03-01 10:00:00Z\n/);
});
