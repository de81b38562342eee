// Runs as a thread of a sandbox worker, where a template in a loop cannot hold it up. The host tells
// its own number: by the time this thread starts, the host may already be gone.
import process from "node:process";
import { workerData } from "node:worker_threads";

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL");
}, 500);
