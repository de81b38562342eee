import type {
  AccessToken,
  Account,
  EmailVersion,
  Integration,
  IntegrationEvent,
  Invitation,
  Member,
  Message,
  PdfVersion,
  Send,
  Session,
  Template,
  TemplateDraft,
  User,
  Webhook,
  WebhookDelivery,
} from "@posthaste/contracts";
import type { Binary, Db } from "mongodb";
import type { AssetName } from "./asset_name.ts";
import { OPEN_INTEGRATIONS } from "./database_rights.ts";
import type { StoredEvent } from "./recorded_event.ts";
import type { IntegrationCircuit } from "./integration_circuit.ts";
import type { StoredResults } from "./ended_attempt.ts";
import type { StoredAuditLine, UnchainedLine } from "./_audit_chain.ts";
import type { AttemptCount } from "./attempt_count.ts";
import type { StoredRegister } from "./stored_register.ts";
import type { StatisticsBucket, StatisticsHint } from "./statistics_bucket.ts";
import type { UsageDay } from "./usage_day.ts";

/**
 * A send as it lies in the database. The request is JSON text: values that callers choose would
 * otherwise meet BSON's own rules (`_bsontype`, NUL in keys, arrays that grow beyond 16 MB).
 */
export type StoredSend = Omit<Send, "request" | "idempotency"> & {
  request: string;
  from: Send["request"]["from"];
  /** Addresses of its recipients, in lower case, until it is settled: so what waits is found. */
  emails?: string[];
  /** Addresses that get copies of its mails, in lower case. Missing where there are none. */
  copies?: string[];
  /** SHA-256 of the files of its mails, in hex. Missing where there are none. */
  assets?: string[];
  /** References and tags of the send and its recipients: by these it is found. Missing where there are none. */
  references?: string[];
  tags?: string[];
  /** What the send is marked with, as JSON text, for the same reason as the request. */
  labels?: string;
  /** Recipients are marked on their own: what with is in the request. */
  hasOwnLabels?: true;
  /** Its variables are to be removed as soon as it is settled. */
  contentDue?: true;
  /** Names the look of a reconciler that was the last to claim it. */
  reconciledBy?: string;
};

/** Returns by which addresses a send is found as long as it is not settled. */
export function emailsOf(to: Send["request"]["to"]): string[] {
  return [...new Set(to.map(({ email }) => email.toLowerCase()))];
}

/** A request that came with an `Idempotency-Key`. */
export interface StoredKey {
  /** `<account>/<key>` */
  _id: string;
  /** Under which id it is accepted. */
  sendId: string;
  /** SHA-256 of what was asked for. */
  bodyHash: string;
  acceptedAt: Date;
}

/** A draft as it lies in the database: its source is JSON text, for the same reason. */
export type StoredDraft = Omit<TemplateDraft, "source"> & { source: string };

/** Up to which send the contents of an account's sends were looked through. */
export interface ContentProgress {
  /** Id of the account. */
  _id: string;
  upTo: string;
}

/** The last number given out under a key. */
export interface Counter {
  _id: string;
  value: number;
}

/** Who has charge of some work, and until when. */
export interface LeaderLease {
  /** Name of the work. */
  _id: string;
  holder: string;
  until: Date;
}

/** A webhook endpoint, and which process has charge of it. */
export type StoredWebhook = Webhook & { lease?: { holder: string; until: Date } };

/** A mailer process that was there at a time. */
export interface MailerPresence {
  _id: string;
  seenAt: Date;
}

/** A file that mails carry. */
export interface StoredAsset {
  /** `<account>/<SHA-256 in hex>` */
  _id: string;
  accountId: string;
  bytes: Binary;
  /** When it was last needed by a send, or put under a name. */
  usedAt: Date;
}

/** Names the collections of a database and the documents they hold. */
export function collectionsOf(db: Db) {
  return {
    accounts: db.collection<Account>("accounts"),
    tokens: db.collection<AccessToken & { remindedAt?: Date }>("tokens"),
    counters: db.collection<Counter>("counters"),
    templates: db.collection<Template>("templates"),
    versions: db.collection<EmailVersion | PdfVersion>("versions"),
    drafts: db.collection<StoredDraft>("drafts"),
    integrations: db.collection<Integration>("integrations"),
    openIntegrations: db.collection<Integration>(OPEN_INTEGRATIONS),
    integrationEvents: db.collection<IntegrationEvent>("integration_events"),
    assets: db.collection<StoredAsset>("assets"),
    assetNames: db.collection<AssetName & { _id: string }>("asset_names"),
    sends: db.collection<StoredSend>("sends"),
    idempotencyKeys: db.collection<StoredKey>("idempotency_keys"),
    messages: db.collection<Message>("messages"),
    registers: db.collection<StoredRegister>("attempts"),
    mailers: db.collection<MailerPresence>("mailers"),
    duties: db.collection<LeaderLease>("duties"),
    users: db.collection<User>("users"),
    members: db.collection<Member>("members"),
    sessions: db.collection<Session>("sessions"),
    invitations: db.collection<Invitation>("invitations"),
    /** Lines of all versions. */
    audit: db.collection<StoredAuditLine | UnchainedLine>("audit"),
    /** The same, for lines that are chained. */
    chainedAudit: db.collection<StoredAuditLine>("audit"),
    attempts: db.collection<AttemptCount>("sign_in_attempts"),
    statistics: db.collection<StatisticsBucket>("statistics"),
    statisticsHints: db.collection<StatisticsHint>("statistics_hints"),
    usage: db.collection<UsageDay>("usage"),
    contentProgress: db.collection<ContentProgress>("content_progress"),
    integrationResults: db.collection<StoredResults>("integration_results"),
    events: db.collection<StoredEvent>("events"),
    webhooks: db.collection<StoredWebhook>("webhooks"),
    webhookDeliveries: db.collection<WebhookDelivery>("webhook_deliveries"),
    integrationHealth: db.collection<IntegrationCircuit>("integration_health"),
  };
}
