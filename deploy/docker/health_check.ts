/**
 * Ends with 0 if the service in this container is ready, for the image's `HEALTHCHECK`. An argument replaces
 * `/readyz` on `HEALTH_PORT`.
 *
 * @module
 */
import process from "node:process";

const TIMEOUT_MS = 4000;

const [url = `http://127.0.0.1:${process.env["HEALTH_PORT"]}/readyz`] = process.argv.slice(2);
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  process.stdout.write(`${response.status} ${await response.text()}\n`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  process.stdout.write(`Cannot ask "${url}": ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
