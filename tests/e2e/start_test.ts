import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { descendantsOf, PORT_NAMES, PORTS } from "@posthaste/dev";
import { isRunning } from "@posthaste/embedded";
import {
  openOtlpReceiver,
  openSmtpSink,
  type OtlpReceiver,
  type SmtpSink,
  until,
} from "@posthaste/kit";
import { expectOneTrace } from "./expect_one_trace.ts";
import { readMail } from "./read_mail.ts";
import { type AccountOfSystem, openAccount } from "./system.ts";

const MAIN = join(import.meta.dirname, "..", "..", "dev", "main.ts");
/** Prints of the tests before the one that counts them: the mail of the command, and the traced one. */
const PRINTS_BEFORE = 2;
const isLinux = process.platform === "linux";

let dataDir: string;
let telemetry: OtlpReceiver;
let sink: SmtpSink;
let main: ReturnType<typeof startMain>;
let system: AccountOfSystem;
let integration: number;
let opened: AsyncDisposableStack;

/** Starts it as `npm start` does; its services export their telemetry. */
function startMain() {
  const ports = Object.fromEntries(PORT_NAMES.map((name) => [PORTS[name].setting, "0"]));
  const { MONGODB_URL: _m, NATS_URL: _n, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    // On a busy machine a write may take its time: tests see slowness elsewhere.
    env: {
      ...{ ...env, ...ports, ...telemetry.envOf("http/protobuf") },
      ...{ LEDGER_TIMEOUT: "10s", DATA_DIR: dataDir },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => said += part);
  return {
    child,
    said: () => said,
    /** Waits until it is so. A failure quotes what it printed. */
    async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
      await until(isSo).catch((cause) => {
        throw new Error(`Cannot go on after "${said}"`, { cause });
      });
    },
  };
}

before(async () => {
  await using stack = new AsyncDisposableStack();
  dataDir = await mkdtemp(join(tmpdir(), "posthaste-dev-"));
  stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  telemetry = stack.use(await openOtlpReceiver());
  sink = stack.use(await openSmtpSink());
  main = startMain();
  stack.defer(() => void main.child.kill("SIGKILL"));
  await main.until(() => main.said().includes("Then read it"));
  const { mongodbUrl, apiUrl } = await readStackFile();
  system = stack.use(
    await openAccount({ mongodbUrl, apiUrl, dashboardUrl: dashboardUrl(), services: new Map() }, {
      name: "Traced",
    }),
  );
  integration = await system.connect(sink.port);
  opened = stack.move();
});
after(() => opened?.disposeAsync());

async function readStackFile(): Promise<{ mongodbUrl: string; apiUrl: string; token: string }> {
  return JSON.parse(await readFile(join(dataDir, "stack.json"), "utf8"));
}

function dashboardUrl(): string {
  return /^ {2}Dashboard +(\S+)/m.exec(main.said())?.[1] ?? "";
}

test("npm start prints a command that sends a mail with a PDF", async () => {
  const command = /^export POSTHASTE_TOKEN=[^]*?\}'$/m.exec(main.said())?.[0] ?? "";
  const answer = await run("sh", ["-c", command.replace("curl ", "curl -sS ")]);
  assert.equal(JSON.parse(answer).status, "success", answer);
  const inbox = /^ {2}Inbox +(\S+)/m.exec(main.said())?.[1] ?? "";
  const list = async () => await (await fetch(`${inbox}/api/messages`)).json() as CaughtMail[];
  await main.until(async () => (await list()).length > 0);
  const mails = await list();
  assert.deepEqual(mails.map(({ to }) => to.map(({ address }) => address)), [["ada@example.com"]]);
  const [pdf] = mails[0]?.attachments ?? [];
  assert.equal(pdf?.filename, "invoice-2026-0042.pdf");
  const file = await fetch(`${inbox}/api/messages/${mails[0]?.id}/attachments/0`);
  assert.equal(Buffer.from(await file.arrayBuffer()).subarray(0, 5).toString(), "%PDF-");
  await main.until(() => main.said().includes("Mail to ada@example.com"));
  assert.equal((await stat(join(dataDir, "stack.json"))).mode & 0o777, 0o600);
  assert.match(command, new RegExp((await readStackFile()).token));
});

test("npm start prints the address of the dashboard, which opens with one click", async () => {
  const dashboard = dashboardUrl();
  assert.match(await (await fetch(dashboard)).text(), /<title>Posthaste/);
  const signedIn = await fetch(`${dashboard}/api/sign-in/demo`, {
    method: "POST",
    headers: { origin: dashboard },
  });
  assert.match(`${signedIn.headers.get("set-cookie")}`, /^__Host-.*HttpOnly; Secure/, main.said());
});

test("one trace leads from the caller's request through every service to the SMTP reply, over HTTP", async () => {
  await expectOneTrace({ system, telemetry, sink, integration });
});

test("twenty recipients of the same PDF cost one print and get the same bytes", async () => {
  const template = await system.publishEmail({ subject: "Same", html: "<p>{{ n }}" });
  const pdf = await system.publishPdf({ html: "<h1>Price list {{ year }}</h1>" });
  const prints = () => telemetry.histogramCount("pdf", "posthaste.print.duration");
  await until(() => prints() === PRINTS_BEFORE, { message: "the prints of the tests before" });
  const accepted = await system.send({
    template,
    integration,
    to: Array.from({ length: 20 }, (_, n) => ({
      email: `r${n}@same.example`,
      variables: { n },
      attachments: [{ id: pdf, filename: `list-${n}.pdf`, variables: { year: 2026 } }],
    })),
  });
  assert.deepEqual((await system.untilDone(accepted.id)).states, { sent: 20 });
  const mails = sink.messages.filter(({ envelope }) => envelope.to[0]?.endsWith("@same.example"));
  assert.equal(mails.length, 20);
  const read = await Promise.all(mails.map(async (mail) => (await readMail(mail))[0]));
  const [first] = read;
  for (const { attachments } of read) {
    assert.deepEqual(attachments[0]?.bytes, first?.attachments[0]?.bytes);
  }
  assert.equal(new Set(read.map(({ attachments }) => attachments[0]?.filename)).size, 20);
  await until(() => prints() > PRINTS_BEFORE, { message: "the print to be counted" });
  // More would be counted in the next export, which is a second later.
  await delay(1100);
  assert.equal(prints(), PRINTS_BEFORE + 1);
});

// The last test: it stops what the others use.
test("SIGINT stops npm start, and leaves no process", async () => {
  const below = await descendantsOf(main.child.pid ?? 0);
  if (isLinux) assert.ok(below.length >= 8, `${below.length} processes`);
  main.child.kill("SIGINT");
  const [code] = await once(main.child, "exit");
  assert.equal(code, 0, main.said());
  await until(() => below.every((pid) => !isRunning(pid)), { message: `the end of ${below}` });
});

interface CaughtMail {
  id: string;
  to: { address: string }[];
  attachments: { filename: string }[];
}

async function run(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  return (await child.stdout.toArray()).join("");
}
