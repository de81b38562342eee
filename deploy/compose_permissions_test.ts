import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { parse } from "yaml";
import { PERMISSIONS, PERMITTED_SERVICES } from "@posthaste/runtime";

test("Compose grants each service the secrets and the networks of PERMISSIONS, and no other", async () => {
  const { services } = parse(await readFile(new URL("compose.yaml", import.meta.url), "utf8"), {
    merge: true,
  });
  for (const name of PERMITTED_SERVICES) {
    const { environment, networks } = services[name];
    const files = Object.keys(environment).filter((variable) => variable.endsWith("_FILE"));
    const allowed: readonly string[] = PERMISSIONS[name].secrets;
    for (const file of files) assert.ok(allowed.includes(file.slice(0, -5)), `${name} ${file}`);
    const dials: readonly string[] = PERMISSIONS[name].dials;
    assert.equal(networks.includes("database"), dials.includes("database"), name);
    assert.equal(networks.includes("mail"), dials.includes("smtpServers"), name);
  }
});
