import {
  DESTINATIONS,
  EVERY_PROGRAM,
  permissionsFor,
  PERMITTED_SERVICES,
  type PlaceName,
  PLACES,
} from "@posthaste/runtime";
import type { PartName } from "./part_name.ts";

/** Name of an own program that runs as a process. */
export type OwnPart = Exclude<PartName, "nats" | "mongod">;

/**
 * A service's permissions in Deno's terms: `deno run` refuses everything else. Hosts and folders are given by
 * the names of their settings, so that only the ones in use are permitted.
 */
export interface DenoPermissions {
  /**
   * Settings with an address to dial or to listen at, or an address itself. `SMTP_PORTS` stands for
   * these ports of any IPv4 address.
   */
  net: readonly string[];
  /** Folders and files below the repository. The code itself needs no permission. */
  read: readonly string[];
  /** Paths that read as missing, instead of being refused: packages look for them when they are loaded. */
  hidden: readonly string[];
  /** Settings with a folder to read and write. */
  write: readonly string[];
  /** Settings with a program to start, or its path below the repository. */
  run: readonly string[];
  /** Information about the machine. */
  sys: readonly string[];
  /** Variables that are read beside the service's settings and OpenTelemetry's. */
  env: readonly string[];
}

/** The own programs that Deno starts. */
export const OWN_PARTS: readonly OwnPart[] = [...PERMITTED_SERVICES, "inbox"];

/** Returns a service's `PERMISSIONS` of `libs/runtime` in Deno's terms. */
export function denoPermissionsOf(name: OwnPart): DenoPermissions {
  const own = permissionsFor(name);
  const { reads = [], writes = [], starts = [], variables = [] } = own;
  const net = [EVERY_PROGRAM, own].flatMap(({ dials, listens = {} }) => [
    ...dials.map((destination) => DESTINATIONS[destination].setting),
    ...Object.entries(listens).map(([setting, port]) =>
      setting.includes(".") ? `${setting}:${port}` : setting
    ),
  ]);
  return {
    net,
    read: reads.filter((path) => !isPlace(path)),
    // Deno opens it only with every permission.
    hidden: reads.includes("processes") ? [PLACES.processes.image] : [],
    write: writes.map(inWordsOfDeno),
    run: starts.map(inWordsOfDeno),
    sys: own.asks,
    env: variables,
  };
}

/** Returns the setting of a place; a path stays unchanged. */
function inWordsOfDeno(path: string): string {
  if (!isPlace(path)) return path;
  const place = PLACES[path];
  return "setting" in place ? place.setting : place.image;
}

function isPlace(path: string): path is PlaceName {
  return path in PLACES;
}
