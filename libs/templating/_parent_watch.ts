// Runs as a thread of a sandbox worker, where a looping template cannot block it. The host passes its own
// process id: by the time this thread starts, the host may already be gone.
import process from "node:process";
import { workerData } from "node:worker_threads";

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL");
}, 500);
