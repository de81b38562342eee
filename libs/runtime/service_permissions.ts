/** A destination outside a service. */
export interface Destination {
  /** Setting with its address. If it is not set, Deno allows no connection. */
  setting: string;
  /** Its ports in a cluster. Without ports, no NetworkPolicy allows it. */
  ports: readonly number[];
  /** Pods of our own namespace, by their name. */
  pods?: string;
  /** Pods of another namespace, by its name and theirs. */
  elsewhere?: { namespace: string; pods: string };
  /** Component of `deploy/k8s` that opens the way. @default {the service's own file} */
  component?: string;
  /** A remark in the network policy that allows it. */
  why?: string;
  /** Its name on the page about security. */
  called: string;
}

/** A folder or file whose place differs by machine. */
export interface Place {
  /** Setting that names it. */
  setting?: string;
  /** Where it is in an image. */
  image: string;
}

/** What a service may do at the broker: subjects follow from it (`permissionsOf()`). */
export interface BrokerDuties {
  /** Subjects of the events that it makes. */
  makes: readonly string[];
  /** Streams whose consumers of the service's name it consumes from. */
  consumes?: readonly string[];
  /** Object stores that it reads. */
  reads?: readonly ("pdfs" | "contents")[];
  /** Object stores that it writes. */
  writes?: readonly ("pdfs" | "contents")[];
  /** Services whose requests it answers. */
  answers?: readonly string[];
  /** Services that it prints for: it answers into their inboxes for prints, and no others. */
  prints?: readonly string[];
  /** Whether it reads how much waits in which queue. */
  looks?: boolean;
  /** Whether it removes from every stream what all consumers have passed. */
  purges?: boolean;
}

/** What may be done with the documents of a collection. */
export type CollectionAction = "find" | "insert" | "update" | "remove";

/** What one program may do. What is not named is refused. */
export interface ProgramPermissions<Dialled extends string = string, Put extends string = string> {
  /** What it dials. */
  dials: readonly Dialled[];
  /**
   * Ports that it listens at, by the setting that changes them. An address instead of a setting is
   * fixed; port 0 is any free one.
   */
  listens?: Readonly<Record<string, number>>;
  /** What it reads beside its own code: places, and paths below the repository. */
  reads?: readonly (Put | `${string}/${string}` | "node_modules")[];
  /** What it writes, and so reads. */
  writes?: readonly Put[];
  /** Programs that it starts: places, and paths below the repository. */
  starts?: readonly (Put | `${string}/${string}`)[];
  /** Whether it starts threads. */
  threads?: boolean;
  /** Questions about the machine, as Deno names them. */
  asks: readonly string[];
  /** Variables that it reads beside its settings and OpenTelemetry's. */
  variables?: readonly string[];
  /** Settings that are secret and that it alone is given, with the others that name them. */
  secrets?: readonly string[];
  broker?: BrokerDuties;
  /** Actions by collection. */
  database?: Readonly<Record<string, readonly CollectionAction[]>>;
  /** Whether it asks how full the database is: sizes and counts, and no document. */
  databaseSizes?: boolean;
}
