import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { SendAccepted } from "@posthaste/contracts";
import { openBus } from "@posthaste/messaging";
import { nightly, openFaultySmtp, openSmtpSink, type SmtpSink, until } from "@posthaste/kit";
import { openSystem, SENDER, type System } from "./system.ts";
import { openTimeTravel } from "./time_travel.ts";
import { SERVICES } from "@posthaste/dev";

nightly(
  "libs/messaging/_pull_events_test.ts",
  "libs/runtime/run_service_test.ts",
  "tests/chaos/short_test.ts",
);

let system: System;
let sink: SmtpSink;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  sink = stack.use(
    await openSmtpSink({ script: ({ stage }) => stage === "dot" ? { delayMs: 20 } : undefined }),
  );
  system = stack.use(
    await openSystem({
      dashboard: true,
      settings: {
        // No message that a service leaves behind is redispatched while the test runs.
        tracker: { RECONCILE_INTERVAL: "200ms", RECONCILE_GRACE: "10m" },
        // Acceptance goes on without a broker for a while, so that the api would stay ready.
        api: { BROKER_AWAY: "2s" },
        mailer: { SHUTDOWN_DEADLINE: "8s" },
      },
    }),
  );
  // Nor does the broker redeliver its event.
  await using bus = await openBus({ url: system.stack.natsUrl, name: "e2e" });
  await bus.applyTopology({ ackWaitMs: 600_000 });
  opened = stack.move();
});
after(() => opened?.disposeAsync());

interface Readiness {
  status: string;
  failing: Record<string, string>;
}

async function readiness(healthUrl: string): Promise<[number, Readiness]> {
  const response = await fetch(`${healthUrl}/readyz`);
  return [response.status, await response.json() as Readiness];
}

test("each service that gets SIGTERM finishes its work, ends with 0 and loses nothing", async () => {
  const integration = await system.connect(sink.port);
  const template = await system.publishEmail({ subject: "No {{ n }}", html: "<p>{{ n }}" });
  const pdf = await system.publishPdf({ html: "<p>PDF {{ n }}" });
  const sends: SendAccepted[] = [];
  let stopping = true;
  async function flow() {
    for (let part = 0; stopping; part++) {
      const headers = { "idempotency-key": `part-${part}` };
      const to = Array.from({ length: 4 }, (_, i) => ({
        email: `n${4 * part + i}@stopped.example`,
        variables: { n: 4 * part + i },
        ...(i === 0 ? { attachments: [{ id: pdf }] } : {}),
      }));
      // Only the api's own stop may refuse; an accepted request must be answered.
      const answer = await until(() => {
        const body = { from: { email: SENDER }, to };
        const path = `/templates/${template}/send/${integration}`;
        return system.post<SendAccepted>(path, body, { headers });
      });
      assert.equal(answer.status, 200);
      sends.push(answer.body);
      await delay(150);
    }
  }
  const flowing = flow();
  await delay(500);
  for (const name of SERVICES) {
    const service = system.stack.services.get(name);
    assert.ok(service);
    service.signal("SIGTERM");
    // With work left at its own deadline it would end with another code.
    assert.equal(await service.exited, 0, name);
    await system.stack.restart(name);
  }
  stopping = false;
  await flowing;
  await using travel = openTimeTravel(system);
  await travel.reconcileNow();
  for (const { id, messages } of sends) {
    const { states } = await system.untilDone(id, 40_000);
    // All of it: what a service had taken and not begun is given back when it stops.
    assert.deepEqual(states, { sent: messages.length });
  }
  const count = sends.length * 4;
  const arrived = sink.messages.map(({ envelope }) => envelope.to[0]);
  assert.equal(arrived.length, count);
  assert.equal(new Set(arrived).size, count);
});

test("a mailer that gets SIGTERM records the unknown outcomes, returns what waits untried, and ends with 0", async () => {
  await using silent = await openFaultySmtp({
    plan: ({ stage }) => stage === "dot" ? { do: "silence" } : undefined,
  });
  const integration = await system.connect(silent.port);
  const template = await system.publishEmail({ subject: "Doubt", html: "<p>Hi" });
  // Small sends go straight to the mailer, whatever its server does.
  const sends = await Promise.all(
    Array.from(
      { length: 40 },
      (_, n) =>
        system.send({ template, integration, to: [{ email: `doubt${n}@stopped.example` }] }),
    ),
  );
  // Five connections have one mail each at its dot, and another five are composed.
  await until(() => silent.messages.length === 5, { message: "the server to have five mails" });
  await delay(500);
  const mailer = system.stack.services.get("mailer");
  mailer?.signal("SIGTERM");
  assert.equal(await mailer?.exited, 0);
  const ids = sends.flatMap(({ messages }) => messages.map(({ id }) => id));
  const all = await Promise.all(ids.map((id) => system.message(id)));
  const doubtful = all.filter(({ reason }) =>
    /lost after the mail was handed over/.test(`${reason}`)
  );
  assert.equal(doubtful.length, 5);
  for (const { state } of doubtful) assert.equal(state, "deferred");
  assert.equal(all.filter(({ attempt }) => attempt > 0).length, 5);
  await system.stack.restart("mailer");
});

test("a broker that hangs makes every service not ready, alive all the while, and ready again after", async () => {
  const { nats, services } = system.stack;
  assert.ok(nats);
  const all = [...services.values()];
  nats.signal("SIGSTOP");
  try {
    await Promise.all(all.map(({ healthUrl, name }) =>
      until(async () => {
        const [status, { failing }] = await readiness(healthUrl);
        return status === 503 && "nats" in failing;
      }, { message: `"${name}" to be not ready` })
    ));
    for (const { healthUrl } of all) assert.equal((await fetch(`${healthUrl}/livez`)).status, 200);
  } finally {
    nats.signal("SIGCONT");
  }
  await Promise.all(
    all.map(({ healthUrl, name }) =>
      until(async () => (await readiness(healthUrl))[0] === 200, {
        message: `"${name}" to be ready again`,
      })
    ),
  );
});

describe("wrong settings", { concurrency: true }, () => {
  for (const name of SERVICES) {
    test(`${name} ends with 2 and names every setting that is wrong, but no secret`, async () => {
      const faults: Record<string, string> = {
        NATS_URL: "http://user:hunter2@127.0.0.1",
        LOG_LEVEL: "loud",
        SHUTDOWN_DEADLINE: "soon",
        ...(name === "pdf" ? { PRINT_PAGES: "none" } : { MONGODB_URL: "" }),
        ...(name === "mailer" ? { MASTER_KEY: "" } : {}),
        ...(name === "dashboard" ? { SEALING_KEY: "" } : {}),
      };
      const main = fileURLToPath(new URL(`../../services/${name}/main.ts`, import.meta.url));
      const { code, stderr: said } = await promisify(execFile)(process.execPath, [main], {
        env: { ...process.env, ...faults },
        timeout: 120_000,
      }).then(() => assert.fail(`${name} started`), (error) => error);
      assert.equal(code, 2);
      for (const setting of Object.keys(faults)) {
        assert.match(said, new RegExp(`^  ${setting} `, "m"));
      }
      assert.doesNotMatch(said, /hunter2/);
    });
  }
});
