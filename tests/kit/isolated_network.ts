import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Addresses that lead to the canary in an isolated network: metadata, private, shared, public. */
export const ISOLATED_ADDRESSES: readonly string[] = [
  "169.254.169.254",
  "10.0.0.1",
  "100.64.0.1",
  "93.184.216.34",
];

/** A process in a network of its own. It answers each line of JSON with a line of JSON. */
export interface IsolatedProcess extends AsyncDisposable {
  /** False if the kernel allows no such network: then it has the machine's, with a name server of its own. */
  readonly isolated: boolean;
  /**
   * Sends an order to the process, one at a time.
   *
   * @throws {Error} If the process ends without an answer.
   */
  ask(order: unknown): Promise<unknown>;
}

/**
 * Runs a Node program in a network with only loopback, some foreign addresses, and the name server 127.0.0.1.
 * There every packet that a program sends can be counted. Needs Linux with user namespaces or root, and
 * iproute2.
 */
export async function openIsolated(file: string): Promise<IsolatedProcess> {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-isolated-"));
  const names = join(folder, "resolv.conf");
  await writeFile(names, "nameserver 127.0.0.1\noptions attempts:1 timeout:1\n");
  const shell = [
    "ip link set lo up",
    // WebRTC uses networks other than loopback only; packets to this one are lost.
    "ip link add outside type veth peer name nowhere",
    "ip addr add 10.77.0.2/24 dev outside",
    "ip link set nowhere up && ip link set outside up",
    "ip route add default via 10.77.0.1 dev outside",
    ...ISOLATED_ADDRESSES.map((address) => `ip addr add ${address}/32 dev lo`),
    `mount --bind ${names} /etc/resolv.conf`,
  ].join(" && ");
  const isRoot = process.getuid?.() === 0;
  const wrap = ["--net", "--mount", ...(isRoot ? [] : ["--map-root-user"]), "sh", "-c"];
  const isolated = await run("unshare", [...wrap, shell]).then(() => true, () => false);
  const [command, ...rest] = isolated
    ? ["unshare", ...wrap, `${shell} && exec "$@"`, "sh", process.execPath, file]
    : [process.execPath, file];
  const child = spawn(command ?? "", rest, {
    env: {
      ...process.env,
      ISOLATED: isolated ? "yes" : "",
      // Root of a user namespace without another user for the browser.
      ...(isolated && !isRoot ? { SANDBOX: "off" } : {}),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    isolated,
    async ask(order) {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`Cannot ask "${file}": the process ended`);
      return JSON.parse(value);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(timer);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
