import assert from "node:assert/strict";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { imageFlags, type ServiceName } from "@posthaste/dev";
import { scanImports } from "./scan_imports.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const HOUSE = globSync("services/*/main.ts", { cwd: ROOT }).map((file) => file.split("/")[1] ?? "");

interface Stage {
  from: string;
  text: string;
}

const stages = new Map<string, Stage>();
let images: string[];
before(async () => {
  const text = await readFile(join(ROOT, "deploy/docker/Dockerfile"), "utf8");
  for (const part of text.split(/^(?=FROM )/m).slice(1)) {
    const [, from = "", name = ""] = /^FROM (\S+) AS (\S+)/.exec(part) ?? [];
    stages.set(name, { from, text: part });
  }
  images = [...stages].filter(([, { text }]) => text.includes("LABEL ")).map(([name]) => name);
});

test("services that look up names of customers have threads for the names of many accounts", () => {
  for (const [name, { text }] of stages) {
    const looksUp = ["mailer", "renderer", "webhooks"].includes(name);
    assert.equal(/^ENV UV_THREADPOOL_SIZE=32$/m.test(text), looksUp, name);
  }
});

test("the Dockerfile has a target for each service, for the command line and for the inbox", () => {
  assert.deepEqual(images.toSorted(), [...HOUSE, "cli", "inbox"].toSorted());
  for (const image of images) {
    const stage = stages.get(image);
    assert.equal(stage?.from, "runtime", image);
    assert.ok(stage?.text.includes(`COPY --from=sources /gathered/${image} /app`), image);
    for (const label of ["title", "description", "version", "licenses", "revision", "source"]) {
      assert.match(
        stage?.text ?? "",
        new RegExp(`org\\.opencontainers\\.image\\.${label}=`),
        image,
      );
    }
  }
  for (const name of HOUSE) {
    const [, command = ""] = /^CMD (\[[^\]]+\])$/m.exec(stages.get(name)?.text ?? "") ?? [];
    assert.deepEqual(JSON.parse(command.replaceAll("\\\n", "")), [
      ...["node", ...imageFlags(name as ServiceName), `services/${name}/main.ts`],
    ], name);
  }
});

test("every image runs as 10001 under tini, with a health check and the licence, and only the printer's has a browser", () => {
  const { text = "" } = stages.get("runtime") ?? {};
  assert.match(text, /^USER 10001:10001$/m);
  assert.match(text, /^ENTRYPOINT \["\/usr\/bin\/tini", "--"\]$/m);
  assert.match(text, /^COPY LICENSE NOTICE .*\/usr\/share\/posthaste\/$/m);
  assert.match(text, /^HEALTHCHECK .*\n?.*health_check\.ts"\]$/m);
  for (const image of images) {
    const stage = stages.get(image)?.text ?? "";
    assert.equal(/chromium|apt-get/.test(stage), image === "pdf", image);
    const users = [...stage.matchAll(/^USER (.+)$/gm)].map(([, user]) => user);
    assert.equal(users.at(-1) ?? "10001:10001", "10001:10001", image);
  }
});

test("no file of the images names a registry", async () => {
  for (const name of ["docker/Dockerfile", "docker/install.sh", "compose.yaml"]) {
    const text = await readFile(join(ROOT, "deploy", name), "utf8");
    assert.doesNotMatch(text, /https?:\/\/(?!127\.|localhost|api:)|docker\.io|npmjs/, name);
  }
});

test("an image's files include all that it imports and starts, no tests, and packages of its own only", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-gathered-"));
  execFileSync(process.execPath, [join(ROOT, "deploy/docker/gather.ts"), folder.path]);
  for (const image of images) {
    const gathered = join(folder.path, image);
    const files = globSync("**/*.{ts,js}", { cwd: gathered });
    assert.ok(files.length > 3, image);
    assert.deepEqual(files.filter((file) => /_test\.ts$|\/web\/src\//.test(file)), [], image);
    const workspaces = readFileSync(join(folder.path, "workspaces", image), "utf8").trim()
      .split(" ").map((flag) => flag.replace("--workspace=", ""));
    const installed = new Set(workspaces.flatMap((unit) => {
      const manifest = readFileSync(join(folder.path, "manifests", unit, "package.json"), "utf8");
      return Object.keys(JSON.parse(manifest).dependencies ?? {});
    }));
    for (const file of files) {
      const source = readFileSync(join(gathered, file), "utf8");
      for (const [, program = ""] of source.matchAll(/"(?:\.\/)?(_\w+\.sh)"/g)) {
        const mode = statSync(join(gathered, dirname(file), program)).mode;
        assert.ok(mode & 0o001, `${file}: ${program} can be started`);
      }
      for (const { specifier } of scanImports(source)) {
        assert.ok(resolves(specifier, { gathered, file, installed }), `${file}: ${specifier}`);
      }
    }
    assert.equal(installed.has("@sparticuz/chromium"), image === "pdf", image);
    assert.equal(installed.has("playwright-core"), false, image);
    assert.equal(installed.has("nodemailer"), image === "mailer", image);
    assert.equal(installed.has("mongodb"), !["pdf", "inbox"].includes(image), image);
    assert.equal(installed.has("react") || installed.has("vite"), false, image);
  }
});

interface Gathered {
  gathered: string;
  file: string;
  installed: ReadonlySet<string>;
}

function resolves(specifier: string, { gathered, file, installed }: Gathered): boolean {
  if (isBuiltin(specifier)) return true;
  if (specifier.startsWith(".")) {
    return existsSync(join(gathered, dirname(file), specifier));
  }
  const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  const [, library] = /^@posthaste\/(\w+)$/.exec(name) ?? [];
  if (library !== undefined) return existsSync(join(gathered, "libs", library, "mod.ts"));
  return installed.has(name);
}
