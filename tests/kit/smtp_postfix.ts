import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { freePort } from "@posthaste/embedded";
import { testCertificate } from "./test_certificate.ts";
import { until } from "./until.ts";

/** A real Postfix on 127.0.0.1 that relays all mail to another server. */
export interface TestPostfix extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Returns its log so far. */
  log(): Promise<string>;
}

const DAEMONS = "/usr/lib/postfix/sbin";
/** An instance that lost its parent ends by itself. */
const LONGEST_LIFE_S = 300;

/** Returns why Postfix cannot run here; undefined if it can. */
export function whyNoPostfix(): string | undefined {
  if (process.getuid?.() !== 0) return "Postfix wants root";
  if (spawnSync(join(DAEMONS, "master"), ["-h"]).error !== undefined) return "no Postfix here";
  return undefined;
}

/**
 * Starts a separate Postfix, with STARTTLS, in a temporary folder; it touches neither `/etc/postfix` nor port
 * 25. Everything it accepts goes to the server at `relayPort`.
 *
 * @throws {Error} If {@linkcode whyNoPostfix}, or if it does not answer within 15 s.
 */
export async function openTestPostfix(
  options: { relayPort: number; maxBytes: number },
): Promise<TestPostfix> {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-postfix-"));
  const port = await freePort();
  await prepare(folder, { ...options, port });
  // A process group of its own, so that all its daemons end together.
  const master = spawn(
    join(DAEMONS, "master"),
    ["-d", "-e", String(LONGEST_LIFE_S), "-c", join(folder, "etc")],
    { detached: true, stdio: "ignore" },
  );
  const exited = once(master, "exit");
  const log = () => readFile(join(folder, "log"), "utf8").catch(() => "");

  async function close(): Promise<void> {
    if (master.pid !== undefined && master.exitCode === null && master.signalCode === null) {
      process.kill(-master.pid, "SIGTERM");
      const timer = setTimeout(() => process.kill(-(master.pid ?? 0), "SIGKILL"), 5_000);
      await exited;
      clearTimeout(timer);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  try {
    await until(() => answers(port), { message: "Postfix to answer", timeoutMs: 15_000 });
  } catch (cause) {
    const said = await log();
    await close();
    throw new Error(`Cannot start Postfix: ${said.slice(-2_000)}`, { cause });
  }
  return { host: "127.0.0.1", port, log, [Symbol.asyncDispose]: close };
}

async function prepare(
  folder: string,
  options: { port: number; relayPort: number; maxBytes: number },
): Promise<void> {
  const owner = userId("postfix");
  const queue = join(folder, "queue");
  const folders =
    "active bounce corrupt defer deferred flush hold incoming maildrop private public";
  await chmod(folder, 0o755);
  for (const name of ["etc", "queue", "data", "queue/pid"]) await mkdir(join(folder, name));
  for (const name of [...folders.split(" "), "saved", "trace"]) {
    await mkdir(join(queue, name), { mode: name === "public" ? 0o710 : 0o700 });
    await chown(join(queue, name), owner, 0);
  }
  await chown(join(folder, "data"), owner, 0);
  const { key, cert } = testCertificate;
  await writeFile(join(folder, "etc/key.pem"), `${key}\n${cert}`, { mode: 0o600 });
  await writeFile(join(folder, "etc/main.cf"), mainConfig(folder, options));
  await writeFile(join(folder, "etc/master.cf"), masterConfig(options.port));
}

function mainConfig(folder: string, options: { relayPort: number; maxBytes: number }): string {
  return `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
daemon_directory = ${DAEMONS}
command_directory = /usr/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
myhostname = postfix.example.com
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
local_header_rewrite_clients =
alias_maps =
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_tls_security_level = may
smtpd_tls_chain_files = ${folder}/etc/key.pem
message_size_limit = ${options.maxBytes}
queue_minfree = 0
smtputf8_enable = yes
smtputf8_autodetect_classes = all
smtp_dns_support_level = disabled
smtp_line_length_limit = 0
relayhost = [127.0.0.1]:${options.relayPort}
`;
}

function masterConfig(port: number): string {
  const services = [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    "postlog unix-dgram n - n - 1 postlogd",
    "cleanup unix n - n - 0 cleanup",
    "qmgr unix n - n 300 1 qmgr",
    "tlsmgr unix - - n 1000? 1 tlsmgr",
    "rewrite unix - - n - - trivial-rewrite",
    "bounce unix - - n - 0 bounce",
    "defer unix - - n - 0 bounce",
    "trace unix - - n - 0 bounce",
    "proxymap unix - - n - - proxymap",
    "smtp unix - - n - - smtp",
    "relay unix - - n - - smtp",
    "error unix - - n - - error",
    "retry unix - - n - - error",
    "anvil unix - - n - 1 anvil",
    "scache unix - - n - 1 scache",
  ];
  return `${services.join("\n")}\n`;
}

function userId(user: string): number {
  const { stdout } = spawnSync("getent", ["passwd", user], { encoding: "utf8" });
  const id = Number(stdout.split(":")[2]);
  if (!Number.isInteger(id)) throw new Error(`Cannot run Postfix: there is no user "${user}"`);
  return id;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(2_000, () => done(false));
    socket.on("error", () => done(false));
    socket.on("data", () => done(true));
    function done(answered: boolean): void {
      socket.destroy();
      resolve(answered);
    }
  });
}
