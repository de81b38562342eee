// A program for a test: starts a nats-server in the given folder, prints its process id, and waits to be
// killed.
import { openNatsServer } from "./nats_server.ts";

const dataDir = process.argv[2] as string;
const server = await openNatsServer({ env: process.env, dataDir, isTemporary: true });
process.stdout.write(`${server.pid}\n`);
setInterval(() => {}, 60_000);
