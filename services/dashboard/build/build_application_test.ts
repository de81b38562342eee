import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { buildApplication } from "./build_application.ts";

const PAGE = '<!doctype html><script type="module" src="/src/main.ts"></script>';
let root: string;
let web: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "posthaste-build-"));
  web = join(root, "services/dashboard/web");
  await mkdir(join(web, "src"), { recursive: true });
  await mkdir(join(web, "public"));
  await writeFile(join(root, "package-lock.json"), "{}");
  await writeFile(join(web, "index.html"), PAGE);
  await writeFile(join(web, "public/icon.svg"), "<svg/>");
  await writeSource("first");
});
const { NODE_ENV } = process.env;
after(async () => {
  // A build always uses production mode.
  if (NODE_ENV === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = NODE_ENV;
  await rm(root, { recursive: true });
});

function writeSource(word: string): Promise<void> {
  const text = JSON.stringify(`${word} ${"a text to make smaller ".repeat(200)}`);
  return writeFile(join(web, "src/main.ts"), `document.title = ${text};`);
}

async function builtScript(): Promise<string> {
  const assets = await readdir(join(web, "dist/assets"));
  const name = assets.find((name) => name.endsWith(".js"));
  return join(web, "dist/assets", `${name}`);
}

test("buildApplication() builds changed sources, and otherwise does nothing", async () => {
  const lines: string[] = [];
  const build = () => buildApplication({ root, onProgress: (line) => lines.push(line) });
  assert.equal(await build(), "built");
  assert.deepEqual(lines, ["building the dashboard"]);
  const first = await builtScript();
  assert.match(await readFile(first, "utf8"), /first/);
  assert.equal(await build(), "fresh");
  assert.equal(lines.length, 1);

  for (
    const change of [
      () => writeSource("second"),
      () => writeFile(join(root, "package-lock.json"), "{ }"),
      () => writeFile(join(web, "public/icon.svg"), "<svg />"),
      () => cp(join(web, "public/icon.svg"), join(web, "public/other.svg")),
      () => rm(join(web, "public/other.svg")),
    ]
  ) {
    await change();
    assert.equal(await build(), "built", `${change}`);
    assert.equal(await build(), "fresh", `${change}`);
  }
  assert.notEqual(await builtScript(), first);
  assert.match(await readFile(await builtScript(), "utf8"), /second/);
});

test("buildApplication() writes each large text compressed beside it", async () => {
  const script = await builtScript();
  const [text, small, zipped] = await Promise.all(
    ["", ".br", ".gz"].map((ending) => readFile(`${script}${ending}`)),
  );
  assert.ok(text && small && zipped);
  assert.deepEqual([brotliDecompressSync(small), gunzipSync(zipped)], [text, text]);
  assert.ok(small.length < text.length / 10 && zipped.length < text.length / 10);
  const rest = await readdir(join(web, "dist"));
  assert.deepEqual(rest.sort(), [".sources", "assets", "icon.svg", "index.html"]);
});

test("buildApplication() names what cannot be built, and leaves the previous build unchanged", async () => {
  const before = await builtScript();
  await writeFile(join(web, "src/main.ts"), "const = 1;");
  await assert.rejects(buildApplication({ root }), /main\.ts/);
  assert.equal(await builtScript(), before);
  assert.deepEqual((await readdir(web)).sort(), ["dist", "index.html", "public", "src"]);
  await writeSource("second");
  // The previous build is of these sources: it was not touched.
  assert.equal(await buildApplication({ root }), "fresh");
});
