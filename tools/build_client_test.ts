import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { typesOfTemplates } from "@posthaste/cli/types_of_templates";
import { buildClient } from "./build_client.ts";

const MAX_MINIFIED_BYTES = 10_000;
const MODULES = join(import.meta.dirname, "../node_modules");

const folder = mkdtempSync(join(tmpdir(), "posthaste-client-"));
const built = join(folder, "node_modules/@posthaste/client");
mkdirSync(join(built, ".."), { recursive: true });
buildClient(built);
after(() => rmSync(folder, { recursive: true }));

/** Runs a program that is installed here, in the folder of the package's user. */
function run(program: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [join(MODULES, program), ...args], {
    cwd: folder,
    encoding: "utf8",
  });
}

test("buildClient() makes a package that a program imports", () => {
  writeFileSync(
    join(folder, "program.mjs"),
    `import { createClient, PosthasteError } from "@posthaste/client";
     import { verify } from "@posthaste/client/webhooks";
     const posthaste = createClient({ url: "http://127.0.0.1:1", token: "ph_a", tries: 1 });
     const error = await posthaste.service().catch((error) => error);
     console.log(error instanceof PosthasteError, error.code, typeof verify);`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ["program.mjs"], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.equal(stdout, "true network function\n", stderr);
});

test("buildClient() makes types that `posthaste types` extends", () => {
  const schema = {
    type: "object",
    required: ["name"],
    properties: { name: { type: ["string"] } },
  };
  writeFileSync(
    join(folder, "posthaste.d.ts"),
    typesOfTemplates({ email: [["welcome", schema]], pdf: [] }),
  );
  writeFileSync(
    join(folder, "program.ts"),
    `import { createClient } from "@posthaste/client";
     import { verify } from "@posthaste/client/webhooks";
     const posthaste = createClient({ url: "", token: "" });
     posthaste.render("welcome", { name: "Jane" });
     // @ts-expect-error: "name" is required.
     posthaste.render("welcome", {});
     // @ts-expect-error: there is no such template.
     posthaste.render("welcom", {});
     verify("", new Headers(), "");`,
  );
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext"];
  const { status, stdout } = run(
    "typescript/bin/tsc",
    ...[...options, "--types", "", "--lib", "es2022,dom,dom.iterable"],
    ...["program.ts", "posthaste.d.ts"],
  );
  assert.equal(status, 0, stdout);
});

test("@posthaste/client has at most 10 KB minified, webhooks included", () => {
  writeFileSync(
    join(folder, "all.mjs"),
    `export * from "@posthaste/client";\nexport * from "@posthaste/client/webhooks";`,
  );
  // Rolldown comes with Vite.
  const { stdout, stderr } = run("rolldown/bin/cli.mjs", "all.mjs", "--minify", "-d", "out");
  const { size } = statSync(join(folder, "out/all.js"));
  assert.ok(size > 1000 && size <= MAX_MINIFIED_BYTES, `${size} bytes\n${stdout}${stderr}`);
});
