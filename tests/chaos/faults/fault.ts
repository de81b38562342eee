import type { ServiceName } from "@posthaste/dev";
import type { RunAccount } from "../fixture/account.ts";
import type { BrokerDisk } from "../fixture/broker_disk.ts";
import type { MemberWays } from "../fixture/member_ways.ts";
import type { Mix } from "../load/orders.ts";
import type { Settings } from "../fixture/pods.ts";
import type { Random } from "../random.ts";
import type { Fixture, Servers } from "../fixture/fixture.ts";
import type { FeedEvent } from "../records/records.ts";
import type { Invariant } from "../records/reconcile.ts";
import type { SmtpFault } from "./smtp_fault.ts";

/** The means of a fault. */
export interface Chaos {
  fixture: Fixture;
  account: RunAccount;
  random: Random;
  /** Aborts when the client has all its answers, or the time is over. */
  signal: AbortSignal;
  /** Names the run in addresses and folders. */
  run: string;
  /** Time in which the mails are requested, in seconds. */
  seconds: number;
  /** Counts one injected fault; `crash` names the ended process, or the failpoint. */
  count(kind: "crash" | "other", what: string): void;
  /** Adds a note to the verdict. */
  note(text: string): void;
  /** Records a violation that no ledger shows. */
  blame(invariant: Invariant, what: string): void;
  /** Sets the faults of the receiving server from now on, and its average time for a mail. */
  behave(faults: SmtpFault[], thinksMs?: number): Promise<void>;
  /** Ends the faults of the receiving server. */
  heal(): Promise<void>;
  /** Returns how many mails the receiving server has taken. */
  taken(): Promise<number>;
  /** Waits for some milliseconds; returns false when the run is over. */
  pause(ms: number): Promise<boolean>;
}

/** Returns the single broker and the single database of a fault. */
export function singleOf({ fixture: { servers } }: Chaos): Extract<Servers, { kind: "single" }> {
  if (servers.kind === "single") return servers;
  throw new Error("Cannot do this fault: it is for one broker and one database");
}

/** Returns the broker's disk, for a fault that requires one. */
export function brokerDiskOf(chaos: Chaos): BrokerDisk {
  const { disk } = singleOf(chaos);
  if (disk !== undefined) return disk;
  throw new Error("Cannot do this fault: the broker has no disk of its own");
}

/** Returns the three brokers and three databases of a fault. */
export function threeOf({ fixture: { servers } }: Chaos): Extract<Servers, { kind: "three" }> {
  if (servers.kind === "three") return servers;
  throw new Error("Cannot do this fault: it is for three brokers and three databases");
}

/** Returns the ways between and to the three, for a fault that cuts them. */
export function memberWaysOf(chaos: Chaos): MemberWays {
  const { ways } = threeOf(chaos);
  if (ways !== undefined) return ways;
  throw new Error("Cannot do this fault: the ways of the members cannot be cut");
}

/** A check of one fault, which blames for what it finds. It gets the feed of the account. */
export type FaultCheck = (feed: readonly FeedEvent[]) => Promise<void>;

/** One kind of fault in a running system. */
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
  /** Duration of one blow, if it takes minutes: the client continues this much longer. */
  lastsMs?: number;
  /** Whether it needs three brokers and three databases. */
  three?: boolean;
  /** Whether it cuts connections: of services to the broker or the database, or of and to members of three. */
  proxied?: boolean;
  /** Faults of the receiving server meanwhile. */
  smtp?: SmtpFault[];
  /** Whether that server requires STARTTLS and a login. */
  secure?: boolean;
  /** Average time of that server for a mail, in milliseconds. @default {5} */
  thinksMs?: number;
  /** How many connections that server allows. @default {20} */
  connections?: number;
  whenUnknown?: "retry" | "hold";
  mix?: Mix;
  /** Whether requests may stay unanswered, since the interface itself is ended. */
  unanswered?: boolean;
  /** Whether an outcome can be unknown to a mailer; otherwise no mail may arrive twice. */
  leavesUnknown?: boolean;
  /** Permitted reason for the failure of a mail that no server refused. */
  mayFail?: RegExp;
  /** Share of the mails that is requested immediately at the beginning, so that there is always a backlog. */
  backlog?: number;
  /** Its weight in sharing the mails and the time. @default {1} */
  weight?: number;
  /**
   * Injects faults until the signal aborts, and leaves all ended processes running again. May return a check of
   * its own, which runs when all is quiet.
   */
  run?(chaos: Chaos): Promise<void | FaultCheck>;
}
