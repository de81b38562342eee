import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";

const SCRIPT = `const server = require("node:http").createServer((request, response) => {
  request.resume().on("end", () => response.end());
}).listen(0, "127.0.0.1", () => console.log(server.address().port));`;

/** A collector that takes everything and keeps nothing. */
export interface NullCollector extends Disposable {
  readonly url: string;
}

/** Starts a collector in a process of its own, so that its cost is not that of the senders. */
export async function openNullCollector(): Promise<NullCollector> {
  const child = spawn(process.execPath, ["-e", SCRIPT], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return {
    url: `http://127.0.0.1:${String(port).trim()}`,
    [Symbol.dispose]: () => void child.kill(),
  };
}
