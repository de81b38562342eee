import type {
  AccessToken,
  Account,
  Batch,
  EmailVersion,
  Integration,
  IntegrationEvent,
  Invitation,
  Member,
  Message,
  MessageState,
  PdfVersion,
  Send,
  Session,
  StoredPartial,
  Suppression,
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
import type { LedgerMark } from "./_ledger_mark.ts";
import type { StoredAuditLine, UnchainedLine } from "./_audit_chain.ts";
import type { SignInAttemptCount } from "./sign_in_attempt_count.ts";
import type { SmtpTokenState } from "./smtp_token.ts";
import type { StoredRegister } from "./stored_register.ts";
import type { StatisticsBucket, StatisticsHint } from "./statistics_bucket.ts";
import type { UsageDay } from "./usage_day.ts";

/**
 * A send as it is stored in the database. The request is JSON text: otherwise values that callers choose
 * would meet BSON's own rules (`_bsontype`, NUL in keys, arrays that grow beyond 16 MB).
 */
export type StoredSend = Omit<Send, "request" | "idempotency"> & {
  request: string;
  from: Send["request"]["from"];
  /** Addresses of its recipients, in lower case, until it is settled. Waiting sends are found by them. */
  emails?: string[];
  /** Addresses that get copies of its mails, in lower case. Missing if there are none. */
  copies?: string[];
  /** SHA-256 of the files of its mails, in hex. Missing if there are none. */
  assets?: string[];
  /**
   * Whose mails have PDFs: `true` if all have, else a `1` or `0` for each recipient. Missing if none has, and in
   * sends of earlier versions.
   */
  pdfs?: true | string;
  /** The language that its mails are wanted in; missing if none is named. */
  locale?: string;
  /** Recipients want languages of their own. The request contains them. */
  hasOwnLocales?: true;
  /** References and tags of the send and its recipients, for searches. Missing if there are none. */
  references?: string[];
  tags?: string[];
  /** The labels of the send as JSON text, for the same reason as the request. */
  labels?: string;
  /** Recipients have labels of their own. The request contains them. */
  hasOwnLabels?: true;
  /** How many messages ended in each state. Only of sends of a batch, and valid while it is settled. */
  endStates?: Partial<Record<MessageState, number>>;
  /** Its variables must be removed as soon as it is settled. */
  contentDue?: true;
  /** Identifies the pass of the reconciler that claimed it last. */
  reconciledBy?: string;
  /** How often one of its messages was retried, twice for each retry; missing if none was. */
  reopened?: number;
};

/** A batch as it is stored in the database. Its request is JSON text, for the same reason. */
export type StoredBatch = Omit<Batch, "request"> & {
  request?: string;
  /** Its place among the open batches of its account. */
  slot?: number;
};

/** Returns the addresses by which a send is found until it is settled. */
export function emailsOf(to: Send["request"]["to"]): string[] {
  return [...new Set(to.map(({ email }) => email.toLowerCase()))];
}

/** A request that had an `Idempotency-Key`. */
export interface StoredKey {
  /** `<account>/<key>` */
  _id: string;
  /** Id under which the send is accepted. */
  sendId: string;
  /** SHA-256 of the request. */
  bodyHash: string;
  acceptedAt: Date;
}

/** A draft as it is stored in the database. Its source is JSON text, for the same reason. */
export type StoredDraft = Omit<TemplateDraft, "source"> & { source: string };

/** The last send of an account whose contents the removal has examined. */
export interface ContentProgress {
  /** Id of the account. */
  _id: string;
  upTo: string;
}

/** The last number that was issued under a key. */
export interface Counter {
  _id: string;
  value: number;
}

/** The process that is responsible for some work, and until when. */
export interface LeaderLease {
  /** Name of the work. */
  _id: string;
  holder: string;
  until: Date;
  /** How often it was taken or renewed; missing if only by earlier versions. */
  renewals?: number;
}

/** A webhook endpoint, and the process that is responsible for it. */
export type StoredWebhook = Webhook & { lease?: { holder: string; until: Date } };

/** A mailer process that was running at a time. */
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
  /** When a send needed it last, or it was stored under a name. */
  usedAt: Date;
}

/** The collections of a database, typed by the documents they hold. */
type Collections = ReturnType<typeof newCollections>;

const known = new WeakMap<Db, Collections>();

/** Returns the collections of a database. All parts of a store share them: each would make forty of its own. */
export function collectionsOf(db: Db): Collections {
  let collections = known.get(db);
  if (collections === undefined) {
    collections = newCollections(db);
    known.set(db, collections);
  }
  return collections;
}

function newCollections(db: Db) {
  return {
    accounts: db.collection<Account>("accounts"),
    tokens: db.collection<AccessToken & { remindedAt?: Date }>("tokens"),
    counters: db.collection<Counter>("counters"),
    templates: db.collection<Template>("templates"),
    versions: db.collection<EmailVersion | PdfVersion>("versions"),
    drafts: db.collection<StoredDraft>("drafts"),
    partials: db.collection<StoredPartial>("partials"),
    integrations: db.collection<Integration>("integrations"),
    openIntegrations: db.collection<Integration>(OPEN_INTEGRATIONS),
    integrationEvents: db.collection<IntegrationEvent>("integration_events"),
    assets: db.collection<StoredAsset>("assets"),
    assetNames: db.collection<AssetName & { _id: string }>("asset_names"),
    sends: db.collection<StoredSend>("sends"),
    batches: db.collection<StoredBatch>("batches"),
    idempotencyKeys: db.collection<StoredKey>("idempotency_keys"),
    messages: db.collection<Message>("messages"),
    suppressions: db.collection<Suppression>("suppressions"),
    registers: db.collection<StoredRegister>("attempts"),
    mailers: db.collection<MailerPresence>("mailers"),
    duties: db.collection<LeaderLease>("duties"),
    users: db.collection<User>("users"),
    members: db.collection<Member>("members"),
    sessions: db.collection<Session>("sessions"),
    invitations: db.collection<Invitation>("invitations"),
    /** Lines of all versions. */
    audit: db.collection<StoredAuditLine | UnchainedLine>("audit"),
    /** The same collection, for chained lines. */
    chainedAudit: db.collection<StoredAuditLine>("audit"),
    signInAttempts: db.collection<SignInAttemptCount>("sign_in_attempts"),
    statistics: db.collection<StatisticsBucket>("statistics"),
    statisticsHints: db.collection<StatisticsHint>("statistics_hints"),
    usage: db.collection<UsageDay>("usage"),
    contentProgress: db.collection<ContentProgress>("content_progress"),
    integrationResults: db.collection<StoredResults>("integration_results"),
    events: db.collection<StoredEvent>("events"),
    webhooks: db.collection<StoredWebhook>("webhooks"),
    webhookDeliveries: db.collection<WebhookDelivery>("webhook_deliveries"),
    integrationHealth: db.collection<IntegrationCircuit>("integration_health"),
    smtpTokens: db.collection<SmtpTokenState>("smtp_tokens"),
    ledger: db.collection<LedgerMark>("ledger"),
  };
}
