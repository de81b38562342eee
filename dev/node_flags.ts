import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { permissionsFor, type PlaceName, PLACES } from "@posthaste/runtime";
import type { OwnPart } from "./deno_permissions.ts";
import type { ServiceName } from "./part_name.ts";

/** The folders of the parts that run on Node. */
export interface NodeFlagsOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Folder of the repository. */
  root: string;
  /** Unpacked Chromium and its font settings. */
  cacheDir: string;
  /** Folder of folders with code that Node has compiled: see {@linkcode compiledDirOf}. */
  compiledDir: string;
  /** Folder of the inbox's mails. */
  inboxDir: string;
}

/** Returns the folder of a service's compiled code: a compromised service must not change another's. */
export function compiledDirOf(name: string, { compiledDir }: { compiledDir: string }): string {
  return join(compiledDir, name);
}

/**
 * Returns Node's flags for a service (Node's permission model), made from `PERMISSIONS` of `libs/runtime`: it
 * may read its own code and the libraries', write its compile cache, and start no program, thread or addon,
 * unless that list permits it. Node 24 has no such flag for the network: the environment of the processes
 * must restrict it. {@linkcode garbageFlags} are added.
 *
 * The permissions do not restrict the programs that a service may start: Node passes them on to other Nodes,
 * such as the template sandbox, but only its own sandbox restricts Chromium. On one machine, under one user, it
 * could also read the environments of the others in `/proc`.
 */
export function nodeFlags(name: OwnPart, options: NodeFlagsOptions): string[] {
  return flagsOf(name, {
    root: options.root,
    write: writableFolders(name, options),
    read: placesRead(name).flatMap((place) => foldersOf(place, options)),
  });
}

/**
 * Returns the flags of a service in its image (`deploy/docker/Dockerfile`): as {@linkcode nodeFlags}, but
 * with secrets as files, and with the places of the image.
 */
export function imageFlags(name: ServiceName): string[] {
  const { writes = [] } = permissionsFor(name);
  const inImage = (places: readonly PlaceName[]) => [
    ...new Set(places.map((place) => PLACES[place].image)),
  ];
  return flagsOf(name, {
    root: "/app",
    write: inImage(writes),
    read: ["/run/secrets", ...inImage(placesRead(name))],
  });
}

function flagsOf(
  name: OwnPart,
  { root, write, read }: { root: string; write: readonly string[]; read: readonly string[] },
): string[] {
  const all = [
    join(root, "node_modules"),
    join(root, "libs"),
    join(root, name === "inbox" ? "dev" : `services/${name}`),
    join(root, "package.json"),
    ...write,
    ...read,
  ];
  const { starts = [], threads = false } = permissionsFor(name);
  return [
    ...garbageFlags(name),
    "--permission",
    ...all.map((path) => `--allow-fs-read=${path}`),
    ...write.map((path) => `--allow-fs-write=${path}`),
    ...(starts.length > 0 ? PROGRAMS : []),
    ...(threads ? THREADS : []),
  ];
}

// Node warns of each at each start; the comment above explains the cost.
const PROGRAMS = ["--allow-child-process", "--disable-warning=PERM0002"];
const THREADS = ["--allow-worker", "--disable-warning=PERM0006"];

/**
 * Returns Node's flags that limit what collecting garbage costs.
 *
 * - All but pdf: on a busy machine, a collection waits up to 60 ms until its helper threads get a processor, so
 *   it has none. The pdf service collects the buffers of PDFs: without helpers, mail with PDFs of its own waits half
 *   as long again.
 * - Api: its young generation has 32 MB for each half from the start. Node starts with 1 MB, so most of what a request
 *   needs outlives a collection or two, and is copied: an accepted request takes 0.72 instead of 1.00 ms of CPU.
 * - Renderer: the texts of mails make its young generation grow to its limit, which Node sets by the machine's
 *   memory. After some 20,000 mails, Node then collected the whole heap three times a second: 0.28 ms of CPU a
 *   mail, where it is 0.16 with 8 MB for each half.
 * - Mailer: V8 marks the whole heap after each 64 MB of buffers, however small the heap is: once for 1,000 mails,
 *   or for some 30 with PDFs. Instead, buffers count as heap; unused ones then stay longer. A V8 that does so by
 *   default refuses the flag.
 *
 * With the first and the last, the p99 of mail beside PDFs is two thirds of that without. Each alone changed nothing.
 */
export function garbageFlags(name: OwnPart): string[] {
  return [
    ...(name === "pdf" ? [] : ["--single-threaded-gc"]),
    ...(name === "api" ? ["--min-semi-space-size=32", "--max-semi-space-size=32"] : []),
    ...(name === "renderer" ? ["--max-semi-space-size=8"] : []),
    ...(name === "mailer" ? ["--external-memory-accounted-in-global-limit"] : []),
  ];
}

/** Returns the folders that a service may write. Node permits only folders that exist at its start. */
export function writableFolders(name: OwnPart, options: NodeFlagsOptions): string[] {
  const { writes = [] } = permissionsFor(name);
  return [
    compiledDirOf(name, options),
    ...writes.flatMap((place) => foldersOf(place, options)),
  ];
}

/**
 * Returns the places it reads beside code: paths below the repository are code, which every service reads.
 */
function placesRead(name: OwnPart): PlaceName[] {
  return (permissionsFor(name).reads ?? []).filter((path) => path in PLACES) as PlaceName[];
}

/** Returns the folders of a place on this machine. */
function foldersOf(place: PlaceName, options: NodeFlagsOptions): string[] {
  const { cacheDir, env, inboxDir } = options;
  switch (place) {
    case "cache":
      return [cacheDir];
    case "temporary":
      return [env["TMPDIR"] || tmpdir()];
    case "mails":
      return [inboxDir];
    case "browser":
      return browserFolders(env);
    case "processes":
      return [PLACES.processes.image];
  }
}

/** Returns the folders where a browser may be found. */
function browserFolders(env: NodeFlagsOptions["env"]): string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const home = env["HOME"] || homedir();
  return [
    ...folders,
    "/usr/lib/chromium",
    join(home, ".cache/ms-playwright"),
    join(home, "Library/Caches/ms-playwright"),
    ...(env["CHROMIUM_PATH"] ? [env["CHROMIUM_PATH"]] : []),
  ];
}
