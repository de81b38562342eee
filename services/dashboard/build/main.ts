/**
 * Builds the browser's application if its sources have changed: `npm run build`. `npm start` and
 * `npm test` do so by themselves.
 *
 * @module
 */
import { join } from "node:path";
import process from "node:process";
import { buildApplication } from "./build_application.ts";

try {
  await buildApplication({
    root: join(import.meta.dirname, "../../.."),
    onProgress: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  const reason = error instanceof Error ? error.message.trim() : String(error);
  process.stderr.write(
    `Cannot build the dashboard: ${reason}\nFix the error above, then run npm run build\n`,
  );
  process.exitCode = 1;
}
