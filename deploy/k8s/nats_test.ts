import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { findNatsServer, freePort } from "@posthaste/embedded";
import { BROKER_USERS, openBus, STREAMS } from "@posthaste/messaging";
import { until } from "@posthaste/kit";
import { makeCertificates } from "./make_certificates.ts";
import { makeSecrets, type Secrets } from "./make_secrets.ts";

const COMPONENT = new URL("components/nats/", import.meta.url);
const MEMBERS = [0, 1, 2];

let dir: string;
let secrets: Secrets;
let ports: { client: number; cluster: number; monitor: number }[];
const children: ChildProcess[] = [];

/** Three servers with the configuration of a pod; only addresses and folders differ. */
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "posthaste-k8s-nats-"));
  secrets = {
    ...makeSecrets(),
    ...await makeCertificates({ more: ["IP:127.0.0.1", "DNS:localhost"] }),
  };
  await writeFile(join(dir, "ca.crt"), secrets["nats-tls"]?.["ca.crt"] ?? "");
  ports = [];
  for (const _ of MEMBERS) {
    const [client, cluster, monitor] = [await freePort(), await freePort(), await freePort()];
    ports.push({ client, cluster, monitor });
  }
  const { file } = await findNatsServer(process.env);
  for (const member of MEMBERS) await startMember(file, member);
  await Promise.all(MEMBERS.map((member) => until(() => isHealthy(member))));
});

after(async () => {
  for (const child of children) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  }
  await rm(dir, { recursive: true, force: true });
});

test("the migration makes streams in three copies, at the prefix that is the operator's secret", async () => {
  await using bus = await openBus({ url: urlOf("operator"), name: "posthaste-cli" });
  // Repeated, as its Job does: on a busy machine three servers may take longer than the timeout of a call.
  await until(() => bus.applyTopology({ replicas: 3 }).then(() => true), { timeoutMs: 60_000 });
  const states = await bus.streamStates();
  for (const { name } of STREAMS) assert.ok(states.has(name), name);
  const { account_details } = await ask(0, "jsz?acc=POSTHASTE&streams=true&config=true") as {
    account_details: { stream_detail: { config: { num_replicas: number } }[] }[];
  };
  const streams = account_details.flatMap(({ stream_detail }) => stream_detail);
  assert.ok(streams.length >= STREAMS.length);
  for (const { config } of streams) assert.equal(config.num_replicas, 3);
});

test("each service connects with its own login, over TLS, and sees the streams", async () => {
  for (const user of BROKER_USERS) {
    await using bus = await openBus({ url: urlOf(user), name: user });
    await bus.check();
  }
});

test("a service does not have the operator's rights", async () => {
  await using bus = await openBus({ url: urlOf("pdf"), name: "pdf" });
  await assert.rejects(bus.applyTopology({ replicas: 3 }));
  await assert.rejects(bus.publish({
    type: "status.message.sent",
    data: { sendId: "snd_1", messageId: "msg_1" },
  } as never, { timeoutMs: 500 }));
});

// A client that knows of more servers would try them for ever.
test(
  "connections without a login, or with another's, are refused, and no other authority is trusted",
  { timeout: 20_000 },
  async () => {
    const swapped = urlOf("api").replace("//api:", "//mailer:");
    const anonymous = urlOf("api").replace(/\/\/[^@]*@/, "//");
    const otherAuthority = urlOf("api").replace(/\?ca=[^&]*/, "");
    for (const url of [swapped, anonymous, otherAuthority]) {
      await assert.rejects(openBus({ url, name: "api" }).then((bus) => bus[Symbol.asyncDispose]()));
    }
  },
);

test("the files on the disks do not reveal the messages", async () => {
  const mark = "a-mark-that-is-looked-for";
  await using bus = await openBus({ url: urlOf("operator"), name: "posthaste-cli" });
  await bus.objects("contents").put(mark, Buffer.from(mark.repeat(100)));
  await delay(1500);
  const files = await Array.fromAsync(glob("**/*.blk", { cwd: dir }));
  assert.ok(files.length > 0);
  for (const file of files) {
    assert.equal((await readFile(join(dir, file))).includes(mark), false, file);
  }
});

test("KEDA finds the lag of a consumer where it looks for it", async () => {
  // Reads it as the scaler does: the members by the routes of one, then the account at the leader.
  const { cluster, connect_urls } = await ask(0, "varz") as {
    cluster: { urls: string[] };
    connect_urls?: string[];
  };
  assert.equal(connect_urls, undefined, "else it would dial addresses of pods");
  assert.equal(cluster.urls.length, 3);
  const found = await Promise.all(MEMBERS.map(async (member) => {
    const { server_name } = await ask(member, "varz") as { server_name: string };
    const { account_details = [] } = await ask(
      member,
      "jsz?acc=POSTHASTE&consumers=true&config=true",
    ) as { account_details?: { name: string; stream_detail: Stream[] }[] };
    const consumers = account_details.filter(({ name }) => name === "POSTHASTE")
      .flatMap(({ stream_detail }) => stream_detail)
      .flatMap(({ consumer_detail = [] }) => consumer_detail);
    return consumers.some(({ name, cluster, num_pending }) =>
      name === "pdf_bulk" && cluster.leader === server_name && num_pending === 0
    );
  }));
  assert.equal(found.filter(Boolean).length, 1);
});

interface Stream {
  consumer_detail?: { name: string; num_pending: number; cluster: { leader: string } }[];
}

async function startMember(file: string, member: number): Promise<void> {
  const home = join(dir, `nats-${member}`);
  for (const folder of ["secrets", "tls", "data"]) {
    await mkdir(join(home, folder), { recursive: true });
  }
  await copyFile(new URL("accounts.conf", COMPONENT), join(home, "accounts.conf"));
  const conf = await readFile(new URL("nats.conf", COMPONENT), "utf8");
  const { client, cluster, monitor } = ports[member] as (typeof ports)[number];
  const moved = conf
    .replace(/"\/etc\/nats\/tls/g, `"${home}/tls`)
    .replace('"/data"', `"${home}/data"`)
    .replace('"/run/nats/nats.pid"', `"${home}/nats.pid"`)
    .replace("port: 4222", `host: "127.0.0.1"\nport: ${client}`)
    .replace("http_port: 8222", `http: "127.0.0.1:${monitor}"`)
    .replace("port: 6222", `listen: "127.0.0.1:${cluster}"`)
    .replace(
      /nats-(\d)\.nats\.posthaste\.svc:6222/g,
      (_, other) => `localhost:${ports[Number(other)]?.cluster}`,
    )
    // A machine for tests has less free space than the volume.
    .replace("max_file_store: 15GB", "max_file_store: 8GB");
  await writeFile(join(home, "nats.conf"), moved);
  for (
    const [name, values] of Object.entries({
      secrets: secrets["nats-server"],
      tls: secrets["nats-tls"],
    })
  ) {
    for (const [key, text] of Object.entries(values ?? {})) {
      await writeFile(join(home, name, key), text, { mode: 0o600 });
    }
  }
  const child = spawn(file, ["--config", join(home, "nats.conf")], {
    env: { POD_NAME: `nats-${member}`, PATH: dirname(file) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  let said = "";
  child.stderr?.on("data", (data) => said += data);
  child.once("exit", (code) => {
    if (code !== null && code !== 0) process.stderr.write(said);
  });
}

/** Returns the address in a service's Secret, with a port of this machine. */
function urlOf(user: string): string {
  const url = secrets[`${user}-connections`]?.["NATS_URL"] ?? "";
  const servers = ports.map(({ client }) => `localhost:${client}`).join(",");
  return url.replace("nats.posthaste.svc:4222", servers)
    .replace("/run/secrets/posthaste/ca.crt", join(dir, "ca.crt"));
}

async function ask(member: number, path: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${ports[member]?.monitor}/${path}`, {
    signal: AbortSignal.timeout(2000),
  });
  return await response.json();
}

async function isHealthy(member: number): Promise<boolean> {
  const health = await ask(member, "healthz").catch(() => undefined) as { status?: string };
  return health?.status === "ok";
}
