import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isRunning } from "@posthaste/embedded";
import { descendantsOf } from "./descendants.ts";
import { PORT_NAMES, PORTS } from "./settings.ts";

const isLinux = process.platform === "linux";

test("npm start prints a command that sends a mail with a PDF, and SIGINT leaves no process", {
  timeout: 120_000,
}, async (context) => {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-dev-"));
  context.after(() => rm(dataDir, { recursive: true, force: true }));
  const ports = Object.fromEntries(PORT_NAMES.map((name) => [PORTS[name].setting, "0"]));
  const { MONGODB_URL: _m, NATS_URL: _n, ...env } = process.env;
  const main = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], {
    env: { ...env, ...ports, DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  context.after(() => main.kill("SIGKILL"));
  let said = "";
  for (const stream of [main.stdout, main.stderr]) stream.on("data", (part) => said += part);
  await until(() => said.includes("Then read it"), () => said);

  const command = /^export POSTHASTE_TOKEN=[^]*?\}'$/m.exec(said)?.[0] ?? "";
  const answer = await run("sh", ["-c", command.replace("curl ", "curl -sS ")]);
  assert.equal(JSON.parse(answer).status, "success", answer);
  const inbox = /^ {2}Inbox +(\S+)/m.exec(said)?.[1] ?? "";
  const list = async () => await (await fetch(`${inbox}/api/messages`)).json() as CaughtMail[];
  await until(async () => (await list()).length > 0, () => said);
  const mails = await list();
  assert.deepEqual(mails.map(({ to }) => to.map(({ address }) => address)), [["ada@example.com"]]);
  const [pdf] = mails[0]?.attachments ?? [];
  assert.equal(pdf?.filename, "invoice-2026-0042.pdf");
  const file = await fetch(`${inbox}/api/messages/${mails[0]?.id}/attachments/0`);
  assert.equal(Buffer.from(await file.arrayBuffer()).subarray(0, 5).toString(), "%PDF-");
  await until(() => said.includes("Mail to ada@example.com"), () => said);

  const dashboard = /^ {2}Dashboard +(\S+)/m.exec(said)?.[1] ?? "";
  assert.match(await (await fetch(dashboard)).text(), /<title>Posthaste/);
  const signedIn = await fetch(`${dashboard}/api/sign-in/demo`, {
    method: "POST",
    headers: { origin: dashboard },
  });
  assert.match(`${signedIn.headers.get("set-cookie")}`, /^__Host-.*HttpOnly; Secure/, said);

  const stackFile = join(dataDir, "stack.json");
  assert.equal((await stat(stackFile)).mode & 0o777, 0o600);
  assert.match(command, new RegExp(JSON.parse(await readFile(stackFile, "utf8")).token));

  const below = await descendantsOf(main.pid ?? 0);
  if (isLinux) assert.ok(below.length >= 8, `${below.length} processes`);
  main.kill("SIGINT");
  const [code] = await once(main, "exit");
  assert.equal(code, 0, said);
  await until(() => below.every((pid) => !isRunning(pid)), () => `still there: ${below}`);
});

interface CaughtMail {
  id: string;
  to: { address: string }[];
  attachments: { filename: string }[];
}

async function until(isSo: () => boolean | Promise<boolean>, story: () => string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await delay(50)) {
    if (await isSo()) return;
  }
  assert.fail(story());
}

async function run(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  return (await child.stdout.toArray()).join("");
}
