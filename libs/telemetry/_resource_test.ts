import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Prints the attributes of a resource, and what OpenTelemetry complains about. */
const PROGRAM = `
import { diag, DiagLogLevel } from "@opentelemetry/api";
import { resourceOf } from "./libs/telemetry/_resource.ts";
const said = [];
const say = (text) => said.push(text);
diag.setLogger({ error: say, warn: say, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);
const { attributes } = await resourceOf({ service: "pdf", env: {} });
process.stdout.write(JSON.stringify({ attributes, said }));
`;

test("resourceOf() asks for nothing that the permissions of a service forbid", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...["--permission", `--allow-fs-read=${ROOT}`, "--input-type=module", "--eval", PROGRAM],
  ], { cwd: ROOT });
  const { attributes, said } = JSON.parse(stdout);
  assert.deepEqual(said, []);
  assert.equal(attributes["service.name"], "pdf");
  assert.ok(attributes["host.name"]);
});
