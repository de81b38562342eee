import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { IMAGES } from "./build_images.ts";
import { NOWHERE } from "./contents.ts";

interface Locked {
  dev?: boolean;
  devDependencies?: Record<string, string>;
}

test("no image gets a package that only tests of its service need", async () => {
  const file = new URL("../../../package-lock.json", import.meta.url);
  const { packages } = JSON.parse(await readFile(file, "utf8")) as {
    packages: Record<string, Locked>;
  };
  // npm installs a development package of a service that another workspace needs in production.
  const kept = IMAGES.flatMap((image) => {
    const { devDependencies = {} } = packages[`services/${image}`] ?? packages[image] ?? {};
    return Object.keys(devDependencies).filter((name) =>
      NOWHERE.includes(name) && !packages[`node_modules/${name}`]?.dev
    ).map((name) => `${name} in ${image}`);
  });
  assert.deepEqual(kept, []);
});
