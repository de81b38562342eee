import assert from "node:assert/strict";

/** How a program is run inside a container of a service. */
export type Inside = (service: string, command: readonly string[]) => Promise<string>;

/** The services, and what each of them may reach, as docs/architecture.md has it. */
export const REACHES: Readonly<Record<string, readonly string[]>> = {
  api: ["mongo:27017", "nats:4222"],
  renderer: ["mongo:27017", "nats:4222"],
  pdf: ["nats:4222"],
  mailer: ["mongo:27017", "nats:4222"],
  tracker: ["mongo:27017", "nats:4222"],
  webhooks: ["mongo:27017", "nats:4222"],
  dashboard: ["mongo:27017", "nats:4222"],
};

/** Addresses that the printer must not reach: neighbours, the host's network, a public address. */
const OTHERS = ["mongo:27017", "nats:4222", "api:8080", "dashboard:8081", "1.1.1.1:443"];

const PROBE = `
const { connect } = require("node:net");
const results = {};
for (const place of process.argv.slice(1)) {
  const [host, port] = place.split(":");
  results[place] = await new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: 3000 });
    const end = (answer) => { socket.destroy(); resolve(answer); };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}
console.log(JSON.stringify(results));
`;

const STATE = `
const { accessSync, constants, readFileSync, writeFileSync } = require("node:fs");
const status = readFileSync("/proc/1/status", "utf8");
const field = (name) => status.match(new RegExp("^" + name + ":\\\\s*(\\\\S+)", "m"))[1];
const mayWrite = (path) => { try { writeFileSync(path, ""); return true; } catch { return false; } };
console.log(JSON.stringify({
  uid: field("Uid"), gid: field("Gid"), capabilities: field("CapEff"), bounding: field("CapBnd"),
  noNewPrivileges: field("NoNewPrivs"), seccomp: field("Seccomp"),
  root: mayWrite("/written"), app: mayWrite("/app/written"), tmp: mayWrite("/tmp/written"),
}));
`;

/**
 * Checks the running containers from inside: each runs as 10001 without capabilities, on a file system that
 * is read-only except for `/tmp`, and reaches what it needs; the printer reaches the broker alone.
 *
 * @throws {Error} If a container has other rights.
 */
export async function checkContainment(inside: Inside): Promise<void> {
  for (const [service, needed] of Object.entries(REACHES)) {
    const state = JSON.parse(await inside(service, ["node", "--eval", STATE]));
    assert.deepEqual(state, {
      uid: "10001",
      gid: "10001",
      capabilities: "0000000000000000",
      bounding: "0000000000000000",
      noNewPrivileges: "1",
      seccomp: "2",
      root: false,
      app: false,
      tmp: true,
    }, service);
    const tried = service === "pdf" ? OTHERS : needed;
    const script = `(async () => {${PROBE}})()`;
    const reached = JSON.parse(await inside(service, ["node", "--eval", script, ...tried]));
    const expected = Object.fromEntries(tried.map((place) => [place, needed.includes(place)]));
    assert.deepEqual(reached, expected, `what ${service} reaches`);
  }
}
