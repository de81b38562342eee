import type { ServiceName } from "@posthaste/dev";
import type { RunAccount } from "../fixture/account.ts";
import type { BrokerDisk } from "../fixture/broker_disk.ts";
import type { Mix } from "../load/orders.ts";
import type { Settings } from "../fixture/pods.ts";
import type { Random } from "../random.ts";
import type { Fixture, Servers } from "../fixture/fixture.ts";
import type { Invariant } from "../records/reconcile.ts";
import type { SmtpFault } from "./smtp_fault.ts";

/** What a fault has to work with. */
export interface Chaos {
  fixture: Fixture;
  account: RunAccount;
  random: Random;
  /** Aborts when the client has all its answers, or the time is up. */
  signal: AbortSignal;
  /** Names the run in addresses and folders. */
  run: string;
  /** In which the mails are asked for. */
  seconds: number;
  /** Counts one injected fault; `crash` where a process was ended, and which or where. */
  count(kind: "crash" | "other", what: string): void;
  /** Adds a note to the verdict. */
  note(text: string): void;
  /** Notes something that must not be, and that no ledger tells. */
  blame(invariant: Invariant, what: string): void;
  /** From now on the receiving server does these things wrong, and takes so long for a mail on average. */
  behave(faults: SmtpFault[], thinksMs?: number): Promise<void>;
  /** From now on the receiving server does everything right. */
  heal(): Promise<void>;
  /** Waits in milliseconds; gives false when the run is over. */
  pause(ms: number): Promise<boolean>;
}

/** The one broker and the one database of a fault that is done to these. */
export function singleOf({ fixture: { servers } }: Chaos): Extract<Servers, { kind: "single" }> {
  if (servers.kind === "single") return servers;
  throw new Error("Cannot do this fault: it is for one broker and one database");
}

/** The disk of the broker of a fault that asks for one. */
export function brokerDiskOf(chaos: Chaos): BrokerDisk {
  const { disk } = singleOf(chaos);
  if (disk !== undefined) return disk;
  throw new Error("Cannot do this fault: the broker has no disk of its own");
}

/** The three brokers and three databases of a fault that is done to these. */
export function threeOf({ fixture: { servers } }: Chaos): Extract<Servers, { kind: "three" }> {
  if (servers.kind === "three") return servers;
  throw new Error("Cannot do this fault: it is for three brokers and three databases");
}

/** One kind of harm, done to a running system. */
export interface Fault {
  name: string;
  /** One sentence for the table's readers. */
  description: string;
  /** More settings of the services. */
  settings?: Partial<Record<ServiceName, Settings>>;
  /** Megabytes of a disk that the broker has for itself, and that can be filled. */
  brokerDisk?: number;
  /** Megabytes of a disk that the database has for itself. */
  databaseDisk?: number;
  /** How long one blow takes, if that is minutes: so much longer the client goes on asking. */
  lastsMs?: number;
  /** Whether it is done to three brokers and three databases. */
  three?: boolean;
  /** Whether it cuts the ways of services to the broker or the database. */
  proxied?: boolean;
  /** What the receiving server does wrong meanwhile. */
  smtp?: SmtpFault[];
  /** Whether that server asks for STARTTLS and a login. */
  secure?: boolean;
  /** How long that server thinks about a mail, on average, in milliseconds. @default {5} */
  thinksMs?: number;
  /** How many connections that server allows. @default {20} */
  connections?: number;
  whenUnknown?: "retry" | "hold";
  mix?: Mix;
  /** Whether requests may stay unanswered, since the interface itself is ended. */
  unanswered?: boolean;
  /** Whether an outcome can be unknown to a mailer; where it cannot, no mail may come twice. */
  leavesUnknown?: boolean;
  /** What a mail may fail with that no server refused. */
  mayFail?: RegExp;
  /** Share of the mails that is asked for at once in the beginning, so that there is always a backlog. */
  backlog?: number;
  /** How much of the mails and the time it gets, compared with others. @default {1} */
  weight?: number;
  /** Does harm until the signal aborts, and leaves all that it ended running again. */
  run?(chaos: Chaos): Promise<void>;
}
