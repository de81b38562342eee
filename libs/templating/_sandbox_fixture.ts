// A worker that tries to escape, as a template that has broken out of Handlebars would: its code runs in the
// same process, after the worker's own.
import process from "node:process";
import "./sandbox_worker.ts";

type Attempt = () => unknown;

const [, , , port, secretFile] = process.argv;
const url = `http://127.0.0.1:${port}/`;
const run = (code: string): Attempt => () =>
  new Function("url", "port", "file", code)(url, port, secretFile);
const load = (name: string, rest: string) =>
  run(`return import("node:${name}").then((m) => { ${rest} })`);
const opened = (rest: string) =>
  `return new Promise((done, fail) => { const s = ${rest}; s.on("error", fail); s.on("connect", () => done()); })`;

const ATTEMPTS: Record<string, Attempt> = {
  "the environment": () => {
    if (Object.keys(process.env).length === 0) throw new Error("it is empty");
  },
  "the host's environment": load("fs", "m.readFileSync('/proc/' + process.ppid + '/environ')"),
  "a file": load("fs", "m.readFileSync(file)"),
  "a folder": load("fs", "m.readdirSync('/')"),
  "a file by a link": load("fs", "m.symlinkSync(file, './link'); m.readFileSync('./link')"),
  "a file written": load("fs", "m.writeFileSync('./written', 'x')"),
  "a file by another door": run("return process.getBuiltinModule('fs').promises.readFile(file)"),
  "a process": load("child_process", "m.execFileSync('/bin/true')"),
  "a process by another door": run(
    "const { error } = process.getBuiltinModule('child_process').spawnSync('true'); if (error) throw error",
  ),
  "a thread": load("worker_threads", "return new m.Worker('', { eval: true })"),
  "a signal to the host": run("process.kill(process.ppid, 'SIGWINCH')"),
  "a binding": run("process.binding('tcp_wrap')"),
  "an addon": run("process.dlopen({ exports: {} }, file)"),
  "the inspector": load("inspector", "m.open(0, '127.0.0.1')"),
  "fetch": run("return fetch(url)"),
  "a WebSocket": run(
    "return new Promise((done, fail) => { const w = new WebSocket(url.replace('http', 'ws')); " +
      "w.onerror = ({ error }) => fail(error ?? 'refused'); w.onopen = done; })",
  ),
  "http": load("http", opened("m.get(url)").replace('"connect"', '"response"')),
  "a socket": load("net", opened("m.connect(Number(port), '127.0.0.1')")),
  "a socket by another door": run(
    opened("new (process.getBuiltinModule('net').Socket)().connect(Number(port))"),
  ),
  "tls": load("tls", opened("m.connect(Number(port), '127.0.0.1')")),
  "http2": load("http2", opened("m.connect(url)")),
  "a server": load(
    "net",
    "return new Promise((done, fail) => m.createServer().on('error', fail).listen(0, done))",
  ),
  "a datagram": load(
    "dgram",
    "return new Promise((done, fail) => m.createSocket('udp4').send('x', Number(port), '127.0.0.1', (e) => e ? fail(e) : done()))",
  ),
  "a name": load("dns", "return m.promises.lookup('localhost')"),
  "a name by another door": load("dns/promises", "return new m.Resolver().resolve4('localhost')"),
  "the ancestor of all objects": run("'use strict'; Object.prototype.admin = 1"),
  "the ancestor of all lists": run("'use strict'; Array.prototype.admin = 1"),
  "an ancestor by __proto__": run("'use strict'; ({}).__proto__.admin = 1"),
};

/** Receives refusals that Deno throws where no code can catch them: they count for the current attempt. */
let refuse: (reason: unknown) => void = () => {};
process.on("uncaughtException", (error) => refuse(error));
process.on("unhandledRejection", (error) => refuse(error));

const reached: string[] = [];
const refused: Record<string, string> = {};
for (const [name, attempt] of Object.entries(ATTEMPTS)) {
  try {
    const uncaught = new Promise<never>((_, fail) => refuse = fail);
    await Promise.race([attempt(), uncaught]);
    reached.push(name);
  } catch (error) {
    refused[name] = error instanceof Error ? error.message : String(error);
  }
}
process.send?.({ reached, refused });
