import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, openStub } from "./_open_stub.ts";
import { runCli } from "./_run_cli.ts";
import { EXIT } from "./exit_code.ts";

const AT = "2026-03-01T10:00:00.000Z";
const REASON = "The SMTP server refused the recipient";
const REPLY = { code: 550, enhanced: "5.1.1", response: "550 5.1.1 No such user" };

function messageTo(email: string, id: string, more: object = {}) {
  const known = { id, email, state: "failed", reason: REASON, reply: REPLY, acceptedAt: AT };
  return { ...known, ...more, ofANewerServer: true };
}

const PAGES = [
  [messageTo("=cmd@example.net", "msg_3"), messageTo("forgotten@forgotten.invalid", "msg_2")],
  [messageTo("=CMD@example.net", "msg_1"), messageTo("b@example.net", "msg_0", { reply: null })],
];

/** Answers with two pages, after it wanted the first request later. */
const answer: Answer = ({ route }, count) => {
  if (count === 1) {
    const body = { error: "Too many requests", code: "too_many_requests" };
    return [429, body, { "retry-after": "0" }];
  }
  const at = route.includes("cursor=second") ? 1 : 0;
  return [200, { data: PAGES[at], next: at === 0 ? "second" : null, incomplete: true }];
};

test("failuresCommand() exports each address of a cause once, without formulas, over all pages", async () => {
  await using stub = await openStub(answer);
  const only = "--send snd_1 --code 550 --enhanced 5.1.1";
  const { code, stdout, stderr } = await stub.run(`failures export ${only}`);
  assert.equal(code, EXIT.ok, stderr);
  assert.equal(
    stdout,
    "email,state,reason,reply,messageId,acceptedAt\r\n" +
      `'=cmd@example.net,failed,${REASON},550 5.1.1 No such user,msg_3,${AT}\r\n` +
      `b@example.net,failed,${REASON},,msg_0,${AT}\r\n`,
  );
  const query = "limit=100&state=failed&sendId=snd_1&code=550&enhanced=5.1.1";
  assert.deepEqual(stub.seen.slice(1).map(({ route }) => route), [
    `GET /v1/messages?${query}`,
    `GET /v1/messages?${query}&cursor=second`,
  ]);
  const json = await stub.run("failures export --json");
  assert.deepEqual(JSON.parse(json.stdout).map(({ id }: { id: string }) => id), ["msg_3", "msg_0"]);
});

test("failuresCommand() and --json print no control characters of a mail server on a terminal", async () => {
  const response = "550 \x1b]0;owned\x07\x9b2J no";
  const malicious = messageTo("a@example.net", "msg_3", { reply: { ...REPLY, response } });
  await using stub = await openStub(() => [200, { data: [malicious], next: null }]);
  const onTerminal = (args: string) =>
    stub.run(args, "", (argv, options) => runCli(argv, { ...options, isTerminal: true }));
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch((await onTerminal("failures export")).stdout, /[\x1b\x07\x9b]/);
  const json = await onTerminal("failures export --json");
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(json.stdout, /[\x1b\x07\x9b]/);
  assert.equal(JSON.parse(json.stdout)[0].reply.response, response);
  const file = await stub.run("failures export");
  assert.ok(file.stdout.includes(response), "a file keeps what was said");
});

test("failuresCommand() lists the causes of a send, and refuses what is no send or state", async () => {
  const cause = { state: "failed", reason: REASON, ...REPLY, count: 12, messageId: "msg_1" };
  await using stub = await openStub(() => [200, { id: "snd_1", causes: [cause] }]);
  const id = "snd_k01m89xf24cgz8mp6febrssy6n";
  const { stdout } = await stub.run(`failures list ${id}`);
  assert.match(stdout, /12 +failed +550 +5\.1\.1 +The SMTP server refused the recipient/);
  assert.equal(stub.seen[0]?.route, `GET /v1/sends/${id}`);
  assert.equal((await stub.run("failures list ../tokens")).code, EXIT.usage);
  assert.equal((await stub.run("failures export --state sent")).code, EXIT.usage);
  assert.equal(stub.seen.length, 1);
});
