import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { once } from "node:events";
import { freePort } from "@posthaste/embedded";
import { openFaultySmtp, openSmtpSink, type SmtpSink, until } from "@posthaste/kit";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";
import { openTimeTravel, type TimeTravel } from "./time_travel.ts";

/** With ten mails in flight each, they would fill a mailer three times. */
const SILENT_SERVERS = 10;

let system: JoinedSystem;
let sink: SmtpSink;
let travel: TimeTravel;
let template: number;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  sink = stack.use(await openSmtpSink());
  system = stack.use(await joinSystem());
  travel = stack.use(openTimeTravel(system));
  template = await system.publishEmail({ subject: "No {{ n }}", html: "<p>{{ n }}" });
  opened = stack.move();
});
after(() => opened?.disposeAsync());

function recipients(count: number, domain: string) {
  return Array.from({ length: count }, (_, n) => ({ email: `n${n}@${domain}`, variables: { n } }));
}

/** Sends one mail through a healthy server and waits for it. */
async function sendOne(integration: number, name: string): Promise<void> {
  const email = `${name}@healthy.example`;
  await system.send({ template, integration, to: [{ email, variables: { n: 0 } }] });
  await until(() => sink.messages.some(({ envelope }) => envelope.to.includes(email)), {
    timeoutMs: 60_000,
    message: `the mail to "${email}"`,
  });
}

test("mail for an unavailable server waits, does not delay others, and is sent when it is back", async () => {
  const port = await freePort();
  const dead = await system.connect(port);
  const healthy = await system.connect(sink.port);
  const accepted = await system.send({
    template,
    integration: dead,
    to: recipients(300, "dead.example"),
  });
  await until(async () => {
    const circuit = await system.store.integrations.findCircuit(system.accountId, dead);
    return circuit?.openUntil;
  }, { message: "the server to be left alone" });
  const states = async () =>
    (await system.get<{ states: Record<string, number> }>(`/sends/${accepted.id}`)).body.states;
  // Mails in flight are returned; the others were never rendered.
  await until(async () => {
    const { queued = 0, deferred = 0 } = await states();
    return queued >= 260 && queued + deferred === 300;
  }, { message: "all mail to wait in the ledger" });
  const message = await system.message(accepted.messages[299]?.id ?? "");
  assert.deepEqual([message.state, message.attempt], ["queued", 0]);
  await sendOne(healthy, "beside-dead");
  assert.ok(((await states())["queued"] ?? 0) >= 260, "it did not come because the others went");

  await using back = await openSmtpSink({ port });
  await travel.endPauses();
  await until(async () => {
    await travel.endDeferral(accepted.id);
    return back.messages.length >= 300;
  }, { everyMs: 500, message: "all mail to be sent" });
  assert.deepEqual((await system.untilDone(accepted.id)).states, { sent: 300 });
  assert.equal(new Set(back.messages.map(({ envelope }) => envelope.to[0])).size, 300);
});

test("mail for a server that never greets delays no other mail", async () => {
  const sockets = new Set<Socket>();
  let givenUp = 0;
  const silent = createServer((socket) => {
    sockets.add(socket.on("close", () => givenUp++));
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as { port: number };
  const [stuck, healthy] = [await system.connect(port), await system.connect(sink.port)];
  await Promise.all(Array.from({ length: 60 }, (_, n) => {
    const to = recipients(1, `silent-${n}.example`);
    return system.send({ template, integration: stuck, to });
  }));
  await until(() => sockets.size > 0, { message: "the mailer to wait for the silent server" });
  // The mailer does not know yet that the server says nothing.
  const before = givenUp;
  await sendOne(healthy, "beside-silent");
  assert.equal(givenUp, before, "it came because the mailer gave up on others");
  for (let n = 0; n < 9; n++) await sendOne(healthy, `beside-silent-${n}`);
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test("mail for servers that receive it and never answer delays no other mail", async () => {
  await using servers = new AsyncDisposableStack();
  const silent = await Promise.all(
    Array.from({ length: SILENT_SERVERS }, async () =>
      servers.use(
        await openFaultySmtp({
          plan: ({ stage }) => stage === "dot" ? { do: "silence" } : undefined,
        }),
      )),
  );
  const healthy = await system.connect(sink.port);
  for (const { port } of silent) {
    const integration = await system.connect(port);
    // More than the server has connections: the others wait for one.
    await Promise.all(Array.from({ length: 12 }, (_, n) => {
      const to = recipients(1, `no-answer-${n}.example`);
      return system.send({ template, integration, to });
    }));
  }
  await until(() => silent.every(({ counts }) => counts.connections > 0), {
    message: "every silent server to have mail",
  });
  for (let n = 0; n < 3; n++) await sendOne(healthy, `beside-no-answer-${n}`);
});

test("twenty mails to a server whose login is refused cost a few logins and wait for a person", async () => {
  await using server = await openSmtpSink({ users: { shop: "right" } });
  const id = await system.connect(server.port, { tls: "none" });
  // Without a login the server answers 530: the integration is wrong, not the mail.
  const accepted = await system.send({
    template,
    integration: id,
    to: recipients(20, "login.example"),
  });
  await until(async () => (await system.store.integrations.find(system.accountId, id))?.suspended, {
    message: "the integration to be suspended",
  });
  const suspended = (await system.store.integrations.find(system.accountId, id))?.suspended;
  assert.equal(suspended?.reason, "The SMTP server requires authentication or encryption");
  assert.ok(server.connections <= 16, `${server.connections} connections`);
  for (const { id: messageId } of accepted.messages) {
    // Mails in flight are returned, and the others were never rendered.
    await until(async () => {
      const message = await system.store.messages.find(system.accountId, messageId);
      return message?.state === "queued" || message?.waitsFor === `${system.accountId}/${id}`;
    }, { message: "every mail to wait for its integration" });
  }
});
