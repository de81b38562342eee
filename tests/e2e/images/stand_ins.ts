import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { findMongod, findNatsServer } from "@posthaste/embedded";
import { BASE, isThere } from "./base_image.ts";
import type { Engine } from "./engine.ts";

/** Images of third-party servers, by their names in `deploy/compose.yaml`. */
const SERVER_IMAGES = { nats: "nats:2.14-alpine", mongo: "mongo:8.2" } as const;

/**
 * Makes images of broker and database under the names of the official ones, out of the programs that the
 * tests use, where the engine has none: machines without a registry can run them.
 *
 * @returns the names of those that were made
 */
export async function makeStandIns(engine: Engine, folder: string): Promise<string[]> {
  const made: string[] = [];
  const nats = () => findNatsServer(process.env);
  const mongod = () => findMongod({ env: process.env });
  // The official one has BusyBox' wget.
  if (await makeOne(engine, { folder, image: SERVER_IMAGES.nats, find: nats, packages: "wget" })) {
    made.push(SERVER_IMAGES.nats);
  }
  if (
    await makeOne(engine, {
      folder,
      image: SERVER_IMAGES.mongo,
      find: mongod,
      packages: "libcurl4t64",
    })
  ) {
    made.push(SERVER_IMAGES.mongo);
  }
  return made;
}

interface StandIn {
  folder: string;
  image: string;
  find: () => Promise<{ file: string }>;
  packages: string;
}

async function makeOne(
  engine: Engine,
  { folder, image, find, packages }: StandIn,
): Promise<boolean> {
  if (await isThere(engine, image)) return false;
  const context = join(folder, "stand_in");
  await rm(context, { recursive: true, force: true });
  await mkdir(context, { recursive: true });
  const program = image.startsWith("nats") ? "nats-server" : "mongod";
  await copyFile((await find()).file, join(context, program));
  await writeFile(
    join(context, "Dockerfile"),
    `FROM ${BASE}\nRUN apt-get update && apt-get install --yes --no-install-recommends ${packages}\n` +
      `COPY --chmod=755 ${program} /usr/local/bin/${program}\n`,
  );
  const network = engine.name === "podman" ? ["--network", "host"] : [];
  await engine.run(["build", ...network, "--tag", `docker.io/library/${image}`, context]);
  await rm(context, { recursive: true });
  return true;
}
