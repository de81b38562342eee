import type { Db } from "mongodb";
import { type AccountStore, accountStore } from "./account_store.ts";
import { type AssetStore, assetStore } from "./asset_store.ts";
import { type SignInAttemptStore, signInAttemptStore } from "./sign_in_attempt_store.ts";
import { type AuditStore, auditStore } from "./audit_store.ts";
import { type BatchStates, batchStates } from "./batch_states.ts";
import { type BatchStore, batchStore } from "./batch_store.ts";
import { type BatchWork, batchWork } from "./batch_work.ts";
import { type BundleStore, bundleStore } from "./bundle_store.ts";
import { type BlockedIntegrations, blockedIntegrations } from "./blocked_integrations.ts";
import { type ContentExpiry, contentExpiry } from "./content_expiry.ts";
import { type DeliveryLedgers, deliveryLedgers } from "./delivery_ledger.ts";
import { type DraftStore, draftStore } from "./draft_store.ts";
import { type DueMessages, dueMessages } from "./due_messages.ts";
import { type RecipientForgetting, recipientForgetting } from "./forget_recipient.ts";
import { type EventStore, eventStore } from "./event_store.ts";
import { type EventSubjects, eventSubjects } from "./event_subjects.ts";
import { type Happenings, happenings } from "./happenings.ts";
import { type IntegrationHealth, integrationHealth } from "./integration_health.ts";
import { type IntegrationHistory, integrationHistory } from "./integration_history.ts";
import { integrationResults, type IntegrationResultStore } from "./integration_results.ts";
import { type IntegrationStore, integrationStore } from "./integration_store.ts";
import { type IntegrationSummaries, integrationSummaries } from "./integration_summary.ts";
import { type InvitationStore, invitationStore } from "./invitation_store.ts";
import { type LeaderLeaseStore, leaderLeaseStore } from "./leader_lease_store.ts";
import { type LedgerFigures, ledgerFigures } from "./ledger_figures.ts";
import { type LedgerRetention, ledgerRetention } from "./ledger_retention.ts";
import { type MailerPresence, mailerPresence } from "./mailer_presence.ts";
import { type MembershipStore, membershipStore } from "./membership_store.ts";
import { type MessageCancel, messageCancel } from "./message_cancel.ts";
import { type MessageFigures, messageFigures } from "./message_figures.ts";
import { type MessagePlaces, messagePlaces } from "./message_place.ts";
import { type MessagePostponement, messagePostponement } from "./message_postponement.ts";
import { type MessageRetry, messageRetry } from "./message_retry.ts";
import { type MessageSearch, messageSearch } from "./message_search.ts";
import { type MessageStore, messageStore } from "./message_store.ts";
import { type MessagesWithHeads, messagesWithHeads } from "./message_with_head.ts";
import { type PartialStore, partialStore } from "./partial_store.ts";
import { type PeopleStore, peopleStore } from "./people_store.ts";
import { type PublishedTemplates, publishedTemplates } from "./published_template.ts";
import { type RestoredLedger, restoredLedger } from "./restored_ledger.ts";
import { type SecretRotation, secretRotation } from "./secret_rotation.ts";
import { type WebhookSecretRotation, webhookSecretRotation } from "./webhook_secret_rotation.ts";
import { type SendAcceptance, sendAcceptance } from "./send_acceptance.ts";
import { type SendSearch, sendSearch } from "./send_search.ts";
import { type SendStore, sendStore } from "./send_store.ts";
import { type SendWithdrawals, sendWithdrawals } from "./send_withdrawal.ts";
import { type SessionStore, sessionStore } from "./session_store.ts";
import { type SmtpTokenStore, smtpTokenStore } from "./smtp_token_store.ts";
import { type StatisticsRecount, statisticsRecount } from "./statistics_recount.ts";
import { type StatisticsStore, statisticsStore } from "./statistics_store.ts";
import { type SuppressionStore, suppressionStore } from "./suppression_store.ts";
import { type TemplateSummaries, templateSummaries } from "./template_head.ts";
import { type TemplateStore, templateStore } from "./template_store.ts";
import { type TemplateUse, templateUse } from "./template_use.ts";
import { type TokenStore, tokenStore } from "./token_store.ts";
import { type UsageStore, usageStore } from "./usage_store.ts";
import { type VersionReads, versionReads } from "./version_reads.ts";
import { type WaitingSends, waitingSends } from "./waiting_sends.ts";
import { type WebhookDeliveries, webhookDeliveries } from "./webhook_delivery_store.ts";
import { type WebhookFigures, webhookFigures } from "./webhook_figures.ts";
import { type WebhookStore, webhookStore } from "./webhook_store.ts";

/** The ledger's operations, grouped by subject. */
export interface StoreGroups {
  /** Accounts and their settings. */
  accounts: AccountStore;
  /** Access tokens. */
  tokens: TokenStore;
  /** Templates and their published versions. */
  templates:
    & TemplateStore
    & TemplateSummaries
    & PublishedTemplates
    & VersionReads
    & TemplateUse
    & BundleStore;
  /** Drafts that people edit before publishing. */
  drafts: DraftStore;
  /** Partials and the brand, which templates include. */
  partials: PartialStore;
  /** SMTP servers of accounts, their state, history and results. */
  integrations:
    & IntegrationStore
    & IntegrationSummaries
    & IntegrationHistory
    & IntegrationResultStore
    & BlockedIntegrations;
  /** Accepted requests, until they are settled. */
  sends: SendAcceptance & SendStore & SendSearch & SendWithdrawals;
  /** Many sends under one id: for their accounts, and the work of the tracker on them. */
  batches: BatchStore & BatchStates & BatchWork;
  /** Mail of single recipients: reading, searching, retrying, canceling. */
  messages:
    & MessageStore
    & MessagesWithHeads
    & MessageRetry
    & MessageCancel
    & MessageSearch
    & MessagePlaces
    & MessageFigures;
  /** The registers, which decide each attempt once. */
  registers: DeliveryLedgers;
  /** Sends and messages that wait for their time or integration. */
  waiting: MessagePostponement & DueMessages & WaitingSends;
  /** Removal of data after its retention. */
  retention: ContentExpiry & LedgerRetention & RecipientForgetting;
  /** Files that mails carry, by their content and by the names of an account. */
  assets: AssetStore;
  /** Addresses that accounts send no mail to. */
  suppressions: SuppressionStore;
  /** The feed of events of each account, and its sources. */
  events: EventStore & EventSubjects & Happenings;
  /** Endpoints that are called with events, and the calls. */
  webhooks: WebhookStore & WebhookDeliveries & WebhookFigures;
  /** Counts for the overview and the operator. */
  statistics: LedgerFigures & StatisticsStore & StatisticsRecount;
  /** Bytes that were accepted for accounts. */
  usage: UsageStore;
  /** The mailers' knowledge of servers that do not answer. */
  circuits: IntegrationHealth;
  /** Access tokens that providers issued for SMTP servers. */
  smtpTokens: SmtpTokenStore;
  /** Sealed secrets and their master keys. */
  secrets: SecretRotation;
  webhookSecrets: WebhookSecretRotation;
  /** Messages whose outcome is unknown after a restore of the database. */
  restored: RestoredLedger;
  /** Mailers that run. */
  mailers: MailerPresence;
  /** Leader leases. */
  leases: LeaderLeaseStore;
  /** Users and what they may do in which account. */
  people: PeopleStore & MembershipStore;
  /** Invitations to accounts. */
  invitations: InvitationStore;
  /** Sign-ins of users. */
  sessions: SessionStore;
  /** Limits of attempts at passwords and the like. */
  signInAttempts: SignInAttemptStore;
  /** The audit logs of accounts. */
  audit: AuditStore;
}

/** Name of an operation after its group: `sends.find`. Metrics and spans use it. */
export type StoreOperation = {
  [Group in keyof StoreGroups]: `${Group}.${keyof StoreGroups[Group] & string}`;
}[keyof StoreGroups];

type GroupOf<Name> = Name extends `${infer Group}.${string}` ? Group & keyof StoreGroups : never;

type OperationOf<Name, Group extends keyof StoreGroups> = Name extends `${Group}.${infer Operation}`
  ? Operation & keyof StoreGroups[Group]
  : never;

/** The operations of the store that a consumer names, each in its group. */
export type StorePart<Name extends StoreOperation> = {
  [Group in GroupOf<Name>]: Pick<StoreGroups[Group], OperationOf<Name, Group>>;
};

/** How operations work on a database. */
export interface StoreGroupsOptions {
  /** Shows the database's time. */
  clock(): Date;
  /** Whether integrations are read without their logins. */
  withoutLogins: boolean;
}

/** Returns the operations on a database, in their groups. */
export function storeGroupsOf(
  db: Db,
  { clock, ...options }: StoreGroupsOptions,
): StoreGroups {
  const ledgers = deliveryLedgers(db, clock);
  return {
    accounts: accountStore(db),
    tokens: tokenStore(db),
    templates: templatesOf(db),
    drafts: draftStore(db),
    partials: partialStore(db),
    integrations: integrationsOf(db, options),
    sends: sendsOf(db),
    batches: { ...batchStore(db), ...batchStates(db), ...batchWork(db) },
    messages: messagesOf(db, { ledgers, withoutLogins: options.withoutLogins }),
    registers: ledgers,
    waiting: waitingOf(db),
    retention: retentionOf(db, ledgers),
    assets: assetStore(db),
    suppressions: suppressionStore(db),
    webhooks: { ...webhookStore(db), ...webhookDeliveries(db), ...webhookFigures(db) },
    events: { ...eventStore(db), ...eventSubjects(db), ...happenings(db) },
    statistics: statisticsOf(db),
    usage: usageStore(db),
    circuits: integrationHealth(db),
    smtpTokens: smtpTokenStore(db),
    secrets: secretRotation(db),
    webhookSecrets: webhookSecretRotation(db),
    restored: restoredLedger(db, ledgers),
    mailers: mailerPresence(db),
    leases: leaderLeaseStore(db),
    people: peopleOf(db),
    invitations: invitationStore(db),
    sessions: sessionStore(db),
    signInAttempts: signInAttemptStore(db),
    audit: auditStore(db),
  };
}

function templatesOf(db: Db): StoreGroups["templates"] {
  return {
    ...templateStore(db),
    ...templateSummaries(db),
    ...publishedTemplates(db),
    ...versionReads(db),
    ...templateUse(db),
    ...bundleStore(db),
  };
}

function integrationsOf(db: Db, options: { withoutLogins: boolean }): StoreGroups["integrations"] {
  return {
    ...integrationStore(db, options),
    ...integrationSummaries(db, options),
    ...integrationHistory(db),
    ...integrationResults(db),
    ...blockedIntegrations(db),
  };
}

function sendsOf(db: Db): StoreGroups["sends"] {
  return {
    ...sendAcceptance(db),
    ...sendStore(db),
    ...sendSearch(db),
    ...sendWithdrawals(db),
  };
}

function messagesOf(
  db: Db,
  { ledgers, withoutLogins }: { ledgers: DeliveryLedgers; withoutLogins: boolean },
): StoreGroups["messages"] {
  return {
    ...messageStore(db, ledgers),
    ...messagesWithHeads(db, ledgers),
    ...messageRetry(db),
    ...messageCancel(db, ledgers),
    ...messageSearch(db, ledgers),
    ...messagePlaces(db, { withoutLogins }),
    ...messageFigures(db, ledgers),
  };
}

function waitingOf(db: Db): StoreGroups["waiting"] {
  return {
    ...messagePostponement(db),
    ...dueMessages(db),
    ...waitingSends(db),
  };
}

function retentionOf(db: Db, ledgers: DeliveryLedgers): StoreGroups["retention"] {
  return {
    ...contentExpiry(db),
    ...ledgerRetention(db),
    ...recipientForgetting(db, ledgers),
  };
}

function statisticsOf(db: Db): StoreGroups["statistics"] {
  return {
    ...ledgerFigures(db),
    ...statisticsStore(db),
    ...statisticsRecount(db),
  };
}

function peopleOf(db: Db): StoreGroups["people"] {
  return {
    ...peopleStore(db),
    ...membershipStore(db),
  };
}
