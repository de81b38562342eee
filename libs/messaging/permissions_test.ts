import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { pageOptionsSchema } from "@posthaste/contracts";
import { openNatsServer } from "@posthaste/embedded";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { brokerAccounts } from "./broker_accounts.ts";
import { brokerAddress, brokerApi } from "./broker_address.ts";
import { type Bus, openBus } from "./bus.ts";
import { BROKER_USERS, type BrokerUser, inboxPrefixOf, permissionsOf } from "./permissions.ts";
import { CONSUMERS, STORES, STREAMS } from "./topology.ts";

const API = "OPERATOR.secret";

let url: string;
let admin: NatsConnection;
let operator: Bus;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-nats-"));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const passwords = BROKER_USERS.map((user) => [user, user] as const);
  const accounts = brokerAccounts({
    operator: "1:@",
    services: Object.fromEntries(passwords) as Record<BrokerUser, string>,
    apiPrefix: API,
  });
  const nats = await openNatsServer({ env: process.env, dataDir, isTemporary: true, accounts });
  stack.use(nats);
  url = nats.url;
  const operators = `${addressOf("operator", "1%3A%40")}?api=${API}`;
  operator = stack.use(await openBus({ url: operators, name: "operator" }));
  await operator.applyTopology();
  admin = await connect(brokerAddress(operators));
  stack.defer(() => admin.close());
  opened = stack.move();
});
after(() => opened?.disposeAsync());

function addressOf(user: string, password = user): string {
  return url.replace("//", `//${user}:${password}@`);
}

/** Connects as a service, and hears what it is refused. */
async function connectAs(user: BrokerUser) {
  const connection = await connect({
    ...brokerAddress(addressOf(user)),
    inboxPrefix: inboxPrefixOf(user),
  });
  const refused = new Set<string>();
  void (async () => {
    for await (const { type, error } of connection.status() as AsyncIterable<Heard>) {
      const subject = /"([^"]+)"/.exec(String(error))?.[1];
      if (type === "error" && subject !== undefined) refused.add(subject);
    }
  })();
  /** Those that the broker lets through. */
  const notRefused = async (subjects: readonly string[]) => {
    await connection.flush();
    await delay(50);
    return subjects.filter((subject) => !refused.has(subject));
  };
  return {
    connection,
    publish(subjects: readonly string[], body = "") {
      for (const subject of subjects) connection.publish(subject, body);
      return notRefused(subjects);
    },
    async hear(subjects: readonly string[]) {
      const heard = subjects.map((subject) =>
        connection.subscribe(subject, { callback: () => {} })
      );
      const through = await notRefused(subjects);
      for (const subscription of heard) subscription.unsubscribe();
      return through;
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

interface Heard {
  type: string;
  error?: unknown;
}

/** Every way to look into or change a stream that the broker has. */
function callsOn(stream: string): string[] {
  return [
    ...["CREATE", "UPDATE", "DELETE", "INFO", "PURGE", "SNAPSHOT", "RESTORE", "MSG.GET"],
    ...["MSG.DELETE", "PEER.REMOVE", "LEADER.STEPDOWN"],
  ].map((call) => `$JS.API.STREAM.${call}.${stream}`).concat(
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.spy`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.spy`,
    `$JS.API.CONSUMER.DELETE.${stream}.spy`,
    `$JS.API.CONSUMER.LIST.${stream}`,
    `$JS.API.CONSUMER.NAMES.${stream}`,
  );
}

const BUCKETS = [...STORES.map(({ name }) => `OBJ_${name}`), "KV_poison"];

/** All that might be tried, which the list of a service does not name. */
function forbiddenTo(user: BrokerUser): string[] {
  const all = [
    ...["render.requested", "send.requested.bulk", "send.resumed.bulk"],
    ...["messages.rendered.print.bulk", "messages.rendered.mail.bulk"],
    ...[
      "messages.printed.bulk",
      "status.send.accepted",
      "status.message.sent",
      "status.message.failed",
    ],
    ...["status.message.waiting"],
    ...[
      "$KV.poison.RENDER.1",
      "$KV.poison.MAIL.1",
      "$O.pdfs.C.x",
      "$O.contents.C.x",
    ],
    ...["$JS.API.STREAM.NAMES", "$JS.API.INFO", "$SYS.REQ.SERVER.PING", "anything"],
    ...[...STREAMS.map(({ name }) => name), ...BUCKETS].flatMap(callsOn),
    ...CONSUMERS.flatMap(({ stream, name }) => [
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
      `$JS.API.CONSUMER.INFO.${stream}.${name}`,
      `$JS.API.CONSUMER.DELETE.${stream}.${name}`,
      `$JS.API.CONSUMER.PAUSE.${stream}.${name}`,
      `$JS.ACK.${stream}.${name}.1.1.1.1.0`,
    ]),
    ...BROKER_USERS.filter((other) => other !== user).map((other) => `${inboxPrefixOf(other)}.x`),
  ];
  const allowed = permissionsOf(user).publish;
  return all.filter((subject) => !allowed.some((pattern) => matches(pattern, subject)));
}

function matches(pattern: string, subject: string): boolean {
  const [wanted, found] = [pattern.split("."), subject.split(".")];
  if (wanted.at(-1) === ">") return wanted.slice(0, -1).every((token, i) => token === found[i]);
  return wanted.length === found.length &&
    wanted.every((token, i) => token === "*" || token === found[i]);
}

for (const user of BROKER_USERS) {
  test(`permissionsOf() refuses "${user}" all that is another's`, async () => {
    await using service = await connectAs(user);
    const before = await streamsThere();
    const forbidden = forbiddenTo(user);
    assert.ok(forbidden.length > 150);
    assert.deepEqual(await service.publish(forbidden), []);
    const others = [...BROKER_USERS.filter((other) => other !== user), "operator"];
    assert.deepEqual(
      await service.hear([
        ...others.map((other) => `${inboxPrefixOf(other)}.>`),
        ...[">", "_INBOX.>", "send.requested.*", "status.>", "$JS.>", "$O.>", "$KV.>", "$SYS.>"],
      ]),
      [],
    );
    const own = `${inboxPrefixOf(user)}.x`;
    assert.deepEqual(await service.hear([own]), [own]);
    assert.deepEqual(await streamsThere(), before);
  });
}

async function streamsThere(): Promise<string[]> {
  const manager = await jetstreamManager(admin, { apiPrefix: API });
  return (await Array.fromAsync(manager.streams.list())).map(({ config }) => config.name).sort();
}

/** Said here once more, so that a list that grows is noticed. */
const MAY: Readonly<Record<string, readonly BrokerUser[]>> = {
  "render.requested": ["api"],
  "preview.requested": ["dashboard"],
  "content.requested": ["api", "dashboard"],
  "print.requested": ["api", "dashboard"],
  "probe.requested": ["dashboard"],
  "consent.requested": ["dashboard"],
  "webhook.requested": ["dashboard"],
  "send.requested.bulk": ["api", "dashboard"],
  "send.resumed.bulk": ["api", "renderer", "mailer", "tracker", "dashboard"],
  "messages.rendered.print.bulk": ["renderer", "pdf"],
  "messages.rendered.mail.bulk": ["renderer", "mailer"],
  "messages.printed.bulk": ["pdf", "mailer"],
  "status.send.accepted": ["api", "dashboard"],
  "status.message.waiting": ["renderer"],
  "status.message.sent": ["mailer"],
  "status.message.deferred": ["mailer", "tracker"],
  "status.message.unknown": ["mailer", "tracker"],
  "status.message.failed": ["renderer", "pdf", "mailer", "tracker"],
  "status.message.canceled": [],
  "$O.pdfs.C.x": ["pdf"],
  "$O.pdfs.M.x": [],
  "$JS.API.DIRECT.GET.OBJ_pdfs": [],
  "$JS.API.DIRECT.GET.OBJ_pdfs.$O.pdfs.C.x": [],
  "$O.contents.C.x": ["renderer", "dashboard"],
  "$JS.API.STREAM.MSG.GET.OBJ_pdfs": ["api", "pdf", "mailer", "dashboard"],
  "$JS.API.STREAM.MSG.GET.OBJ_contents": ["api", "renderer", "pdf", "mailer", "dashboard"],
  "$JS.API.STREAM.MSG.GET.MAIL": ["tracker"],
  "$JS.API.STREAM.MSG.GET.STATUS": ["tracker"],
  "$JS.API.CONSUMER.MSG.NEXT.RENDER_NOW.renderer_now": ["renderer"],
  "$JS.API.CONSUMER.MSG.NEXT.RENDER.renderer_bulk": ["renderer"],
  "$JS.API.CONSUMER.MSG.NEXT.PRINT.pdf_bulk": ["pdf"],
  "$JS.API.CONSUMER.MSG.NEXT.MAIL.mailer_bulk": ["mailer"],
  "$JS.API.CONSUMER.MSG.NEXT.STATUS.tracker": ["tracker"],
  "$JS.API.CONSUMER.MSG.NEXT.INTERACTIVE.renderer_interactive": ["renderer"],
  "$JS.API.CONSUMER.MSG.NEXT.INTERACTIVE.pdf_interactive": ["pdf"],
  "$JS.API.CONSUMER.MSG.NEXT.INTERACTIVE.mailer_interactive": ["mailer"],
  "$JS.API.CONSUMER.MSG.NEXT.INTERACTIVE.webhooks_interactive": ["webhooks"],
  "$JS.API.CONSUMER.LIST.STATUS": ["tracker", "dashboard"],
  "_INBOX.api.reply.x": ["renderer"],
  "_INBOX.api.print.x": ["pdf"],
  "_INBOX.dashboard.reply.x": ["renderer", "mailer", "webhooks"],
  "_INBOX.dashboard.print.x": ["pdf"],
  "_INBOX.dashboard.x.y": [],
  "_INBOX.api.x.y": [],
  "_INBOX.operator.x": [],
};

test("permissionsOf() gives each subject to those who have to do with it, and to no other", () => {
  for (const [subject, expected] of Object.entries(MAY)) {
    const found = BROKER_USERS.filter((user) =>
      permissionsOf(user).publish.some((pattern) => matches(pattern, subject))
    );
    assert.deepEqual(found, expected, subject);
  }
});

test("permissionsOf() lets no service make, empty or delete a stream or consumer", () => {
  for (const user of BROKER_USERS) {
    const { publish } = permissionsOf(user);
    const change = /CREATE|UPDATE|(STREAM|CONSUMER)\.DELETE|PURGE|DIRECT|RESTORE|SNAPSHOT/;
    assert.deepEqual(publish.filter((subject) => change.test(subject)), [], user);
    const drops = publish.some((subject) => subject.includes("MSG.DELETE"));
    assert.equal(drops, user === "tracker", user);
    assert.equal(publish.some((subject) => /^(\$JS|\$KV|\$O)\.[>*]/.test(subject)), false);
  }
});

test("openCalls() leaves nothing that does harm when the broker itself sends an answer there", async () => {
  const streams = await streamsThere();
  const manager = await jetstreamManager(admin, { apiPrefix: API });
  const client = jetstream(admin);
  // Without a consumer that would take them.
  await client.publish("send.requested.nobody", "x");
  await client.publish("status.message.sent", "x");
  const targets = streams.flatMap(callsOn).concat(
    CONSUMERS.flatMap(({ stream, name }) =>
      ["DELETE", "PAUSE", "LEADER.STEPDOWN"].map((call) =>
        `$JS.API.CONSUMER.${call}.${stream}.${name}`
      )
    ),
  );
  let tries = 0;
  for (const user of BROKER_USERS) {
    await using service = await connectAs(user);
    const asking = permissionsOf(user).publish.filter((subject) =>
      subject.startsWith("$JS.API.") && !subject.includes("MSG.DELETE")
    );
    for (const subject of asking) {
      // Nothing waits: the answer to a pull is empty, which is what deletes a stream.
      for (const reply of targets) {
        service.connection.publish(subject, bodyOf(subject), { reply });
        tries++;
      }
      await service.connection.flush();
    }
  }
  await delay(300);
  assert.ok(tries > 3000);
  assert.deepEqual(await streamsThere(), streams);
  for (const name of ["RENDER", "STATUS"]) {
    assert.equal((await manager.streams.info(name)).state.messages, 1, name);
  }
  for (const { stream, name } of CONSUMERS) {
    const { paused } = await manager.consumers.info(stream, name);
    assert.notEqual(paused, true);
  }
});

function bodyOf(subject: string): string {
  if (subject.includes("MSG.GET")) return '{"seq":1}';
  return subject.includes("MSG.NEXT") ? '{"no_wait":true}' : "";
}

test("brokerAccounts() leaves no call that administers streams where everybody knows it", async () => {
  for (const call of ["INFO", "STREAM.NAMES", "STREAM.DELETE.STATUS", "STREAM.PURGE.STATUS"]) {
    // Nobody has it: not even the operator, who may publish everywhere.
    await assert.rejects(admin.request(`$JS.API.${call}`, "", { timeout: 500 }), call);
  }
  assert.deepEqual((await streamsThere()).includes("STATUS"), true);
});

test("permissionsOf() lets the renderer answer the api, and nobody hears it but the api", async () => {
  await using api = await openBus({ url: addressOf("api"), name: "api" });
  await using renderer = await connectAs("renderer");
  const consumer = await jetstream(renderer.connection, { checkAPI: false })
    .consumers.get("RENDER_NOW", "renderer_now");
  const answer = api.ask("render.requested", {
    v: 2,
    accountId: "acc_x",
    templateId: 1,
    version: 1,
    variables: {},
  }, { timeoutMs: 60_000 });
  const message = await consumer.next({ expires: 5000 });
  const inbox = message?.headers?.get("Posthaste-Reply") ?? "";
  assert.match(inbox, /^_INBOX\.api\.reply\./);
  const first = `${inbox}.0`;
  await using pdf = await connectAs("pdf");
  assert.deepEqual(await pdf.publish([first], "{}"), []);
  const reply = { ok: false, reason: "no", timedOut: false } as const;
  assert.deepEqual(await renderer.publish([first], JSON.stringify(reply)), [first]);
  assert.deepEqual(await answer, reply);
  message?.ack();
});

test("permissionsOf() lets the printer answer what it is asked to print, and no other service", async () => {
  await using api = await openBus({ url: addressOf("api"), name: "api" });
  await using pdf = await connectAs("pdf");
  const consumer = await jetstream(pdf.connection, { checkAPI: false })
    .consumers.get("INTERACTIVE", "pdf_interactive");
  const answer = api.ask("print.requested", {
    ...{ v: 2, accountId: "acc_x", name: "x.pdf", html: { inline: "x" } },
    page: pageOptionsSchema.parse({}),
  }, { timeoutMs: 60_000 });
  const message = await consumer.next({ expires: 5000 });
  const inbox = message?.headers?.get("Posthaste-Reply") ?? "";
  assert.match(inbox, /^_INBOX\.api\.print\./);
  const first = `${inbox}.0`;
  await using renderer = await connectAs("renderer");
  assert.deepEqual(await renderer.publish([first], "{}"), []);
  const reply = { ok: false, reason: "no" } as const;
  assert.deepEqual(await pdf.publish([first], JSON.stringify(reply)), [first]);
  assert.deepEqual(await answer, reply);
  message?.ack();
});

test("permissionsOf() lets each service use the stores that it reads and writes, and no other", async () => {
  await using renderer = await openBus({ url: addressOf("renderer"), name: "renderer" });
  await using pdf = await openBus({ url: addressOf("pdf"), name: "pdf" });
  await using mailer = await openBus({ url: addressOf("mailer"), name: "mailer" });
  await renderer.objects("contents").put("text", Buffer.from("hello"));
  await pdf.objects("pdfs").put("print", Buffer.alloc(300_000, "p"));
  for (const bus of [pdf, mailer]) {
    assert.equal(String(await bus.objects("contents").get("text")).length > 0, true);
    assert.equal((await bus.objects("pdfs").get("print"))?.length, 300_000);
  }
  await assert.rejects(mailer.objects("pdfs").put("forged", Buffer.from("x")));
  await assert.rejects(pdf.objects("contents").put("forged", Buffer.from("x")));
  await assert.rejects(renderer.objects("pdfs").get("print"));
});

test("brokerAddress() takes the user out of an address", () => {
  assert.deepEqual(brokerAddress("nats://me:a%40b:1@h:1, nats://me:x@[::1]:2"), {
    servers: ["nats://h:1", "nats://[::1]:2"],
    user: "me",
    pass: "a@b:1",
  });
  assert.deepEqual(brokerAddress("h:4222"), { servers: ["h:4222"] });
  assert.deepEqual(brokerAddress("nats://a:b@h:1?api=x.y").servers, ["nats://h:1"]);
});

test("brokerAddress() insists on TLS where the address says so, with the authorities that it names", () => {
  assert.deepEqual(brokerAddress("tls://a:b@h:1?api=x&ca=/run/ca.crt"), {
    servers: ["tls://h:1"],
    user: "a",
    pass: "b",
    tls: { caFile: "/run/ca.crt" },
  });
  assert.deepEqual(brokerAddress("tls://h:1").tls, {});
  assert.equal("tls" in brokerAddress("nats://a:b@h:1?ca=/run/ca.crt"), false);
});

test("nobody logs in in the clear where the address says TLS", async () => {
  const secure = addressOf("api").replace("nats://", "tls://");
  await assert.rejects(openBus({ url: secure, name: "api" }), /tls/);
  assert.deepEqual(brokerApi("nats://a:b@h:1/?api=x.y"), { apiPrefix: "x.y" });
  assert.deepEqual(brokerApi("nats://h:1"), {});
});

test("the operator reads past status events", { timeout: 30_000 }, async () => {
  const since = new Date();
  for (let n = 1; n <= 5; n++) {
    await operator.publish({
      type: "status.send.accepted",
      data: { v: 2, sendId: `snd_${n}`, accountId: "acc_1", at: since.toISOString() },
    });
  }
  const types = ["status.send.accepted", "status.message.sent"] as const;
  const found = await Array.fromAsync(operator.pastStatusEvents({ since, types }));
  assert.equal(found.length, 5);
});
