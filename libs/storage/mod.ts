/**
 * The database: its collections, and the ledger's few operations by name, in groups. The only importer of
 * `mongodb`.
 *
 * ```ts
 * await using store = await openStore({ url: "mongodb://127.0.0.1:27017/?replicaSet=rs0" });
 *
 * const { token } = await store.tokens.create({ accountId, name: "shop", scopes: ["send"] });
 * const ending = await advance(beginDot({ n: 1, by: nonce }), store.registers.ledgerOf(message));
 * ```
 *
 * @module
 */
export { generateAccessToken, hashAccessToken, isAccessToken } from "./access_token.ts";
export { type AccountLocale, accountLocale } from "./account_locale.ts";
export type { AccountStore } from "./account_store.ts";
export { applyUsers, type DatabaseLogins } from "./apply_users.ts";
export type { AuditCheck, AuditStore, AuditSummary } from "./audit_store.ts";
export {
  DATABASE_RIGHTS,
  DATABASE_USERS,
  type DatabaseAction,
  type DatabaseUser,
  isDatabaseUser,
  KNOWS_SIZES,
  OPEN_INTEGRATIONS,
} from "./database_rights.ts";
export {
  type DeliveryLedgers,
  type FoundAttempt,
  outcomeOf,
  registerRange,
} from "./delivery_ledger.ts";
export type { MessageIdentity } from "./message_identity.ts";
export type { AttemptOutcome, StoredRegister } from "./stored_register.ts";
export type { AssetStore, NeededAsset, OldAssets } from "./asset_store.ts";
export {
  type ListedSuppression,
  type NewSuppression,
  openSuppressionLookup,
  suppressedFormOf,
  type SuppressionStore,
} from "./suppression_store.ts";
export { SuppressionsFullError } from "./suppressions_full_error.ts";
export type { AssetName } from "./asset_name.ts";
export type { BatchRefusal } from "./_batch_insert.ts";
export {
  type BatchCreation,
  type BatchPage,
  type BatchStore,
  TooManyBatchesError,
} from "./batch_store.ts";
export type { BatchCounts, BatchStates } from "./batch_states.ts";
export type { BatchPart, BatchWork, PartLimits } from "./batch_work.ts";
export type { EventStore, FeedBounds, FeedPage, FeedPart } from "./event_store.ts";
export type { NewEvent, RecordedEvent } from "./recorded_event.ts";
export type { Happenings } from "./happenings.ts";
export type { EventSubject, EventSubjects, TimelinesOf } from "./event_subjects.ts";
export type {
  DeliveryPlace,
  DeliveryQuery,
  ReplayQuery,
  WebhookClaim,
  WebhookDeliveries,
} from "./webhook_delivery_store.ts";
export type { EndpointCounts, WebhookFigures } from "./webhook_figures.ts";
export type { WebhookSecretRotation } from "./webhook_secret_rotation.ts";
export { type NewWebhook, TooManyWebhooksError, type WebhookStore } from "./webhook_store.ts";
export type { PartialEdit, PartialPublication, PartialStore } from "./partial_store.ts";
export type { AssetChange } from "./_asset_changes.ts";
export type { PartialChange, PartialKey } from "./_partial_changes.ts";
export { PlanOutdatedError } from "./plan_outdated_error.ts";
export type { DraftEdit, DraftStore, DraftSummary } from "./draft_store.ts";
export {
  type LeaderLeaseAnswer,
  type LeaderLeaseClaim,
  type LeaderLeaseStore,
  SCHEDULER_LEASE,
} from "./leader_lease_store.ts";
export type { ContentExpiry, ContentRemoval } from "./content_expiry.ts";
export { ensureReplicaSet, type ReplicaSetOptions } from "./ensure_replica_set.ts";
export { type Forgotten, type RecipientForgetting } from "./forget_recipient.ts";
export {
  type LedgerFigures,
  type LedgerState,
  MAX_COUNTED,
  type SuspendedIntegration,
} from "./ledger_figures.ts";
export { LEDGER_VERSION } from "./ledger_version.ts";
export { LedgerVersionError } from "./ledger_version_error.ts";
export {
  type LedgerRetention,
  type OldSends,
  REGISTERS_KEPT_MS,
  type RemovedSends,
} from "./ledger_retention.ts";
export { cachedIntegrations } from "./integration_cache.ts";
export type {
  CircuitFailure,
  CountedFailure,
  IntegrationHealth,
  RefusedLogin,
} from "./integration_health.ts";
export { type IntegrationCircuit, reasonOfCircuit } from "./integration_circuit.ts";
export { MAX_AHEAD, type MessagePlace, type MessagePlaces, type Placed } from "./message_place.ts";
export type { IntegrationHistory } from "./integration_history.ts";
export {
  type IntegrationResult,
  type IntegrationResultStore,
  type ResultsNote,
} from "./integration_results.ts";
export type { EndedAttempt, FailedAttempt } from "./ended_attempt.ts";
export {
  type IntegrationInput,
  type IntegrationState,
  integrationStateOf,
  stateSince,
} from "./integration_state.ts";
export type { IntegrationSummaries, SummarizedIntegration } from "./integration_summary.ts";
export type { NumberedPage } from "./numbered_page.ts";
export type { PublishedTemplate, PublishedTemplates } from "./published_template.ts";
export type { BlockedIntegrations } from "./blocked_integrations.ts";
export type {
  IntegrationAuth,
  IntegrationChanges,
  IntegrationSettings,
  IntegrationStore,
  NewIntegration,
  SealAuth,
  SealDkim,
} from "./integration_store.ts";
export type { InvitationStore } from "./invitation_store.ts";
export type { MailerPresence } from "./mailer_presence.ts";
export type { MembershipChange, MembershipStore } from "./membership_store.ts";
export { bulkCancel, type BulkCanceled, CANCELABLE_STATES } from "./bulk_cancel.ts";
export { type BulkRetried, bulkRetry } from "./bulk_retry.ts";
export { BULK_SEARCH_MS } from "./bulk_search.ts";
export type { CanceledSend, MessageCancel, SomeOfSend } from "./message_cancel.ts";
export type { MessageFigures, OldestMessage, ReasonGroup, ReasonQuery } from "./message_figures.ts";
export type { DueMessage, DueMessages } from "./due_messages.ts";
export { inTurn, type WaitingSend, type WaitingSends } from "./waiting_sends.ts";
export type { MessagePostponement, Postponement } from "./message_postponement.ts";
export {
  ContentRemovedError,
  type MessageRetry,
  type RetryableState,
  type RetryOptions,
  SENT_AGAIN,
} from "./message_retry.ts";
export type { Because, MessageFilter } from "./message_filter.ts";
export {
  type FoundMessage,
  type FoundSend,
  INDEXED_STATES,
  type MessageSearch,
  type SearchPage,
  type SearchResult,
} from "./message_search.ts";
export { newSubjectKey, openSubject, sealSubject } from "./subject_box.ts";
export type { MessageStore, StateCounts, UnfinishedMessage } from "./message_store.ts";
export type { MessageWithHead } from "./message_with_head.ts";
export { AmbiguousNameError } from "./ambiguous_name_error.ts";
export { NameTakenError } from "./name_taken_error.ts";
export {
  hashPassword,
  isOutdated,
  PASSWORD_COST,
  type PasswordCost,
  passwordFault,
  verifyPassword,
} from "./password.ts";
export {
  type MasterKeys,
  readMasterKeys,
  readSealingKey,
  type SealingKey,
  sealingKeyOf,
  writeSealingKey,
} from "./master_keys.ts";
export type { NewUser, PeopleStore } from "./people_store.ts";
export type { SmtpToken, SmtpTokenFailure, SmtpTokenState } from "./smtp_token.ts";
export type { SmtpTokenAnswer, SmtpTokenClaim, SmtpTokenStore } from "./smtp_token_store.ts";
export {
  bindLogin,
  bindPassword,
  type BoundIntegration,
  INTEGRATION_DKIM_KEY,
  INTEGRATION_PASSWORD,
  LOGIN_SECRETS,
  MasterKeyMissingError,
  openSecret,
  sealSecret,
  type SecretBinding,
  WEBHOOK_SECRET,
} from "./secret_box.ts";
export type { KeyUse, RewrappedBatch, Rewrapping, SecretRotation } from "./secret_rotation.ts";
export {
  type HeldGroup,
  type HeldQuery,
  type KnownOutcome,
  type Loss,
  type RestoredLedger,
} from "./restored_ledger.ts";
export { RevisionConflictError } from "./revision_conflict_error.ts";
export { type Acceptance, IDEMPOTENCY_KEPT_MS, type SendAcceptance } from "./send_acceptance.ts";
export type { FoundSendHead, SendFilter, SendSearch, SendSearchResult } from "./send_search.ts";
export type { FinishedSend, SendHead, SendStore } from "./send_store.ts";
export type { SendWithdrawals } from "./send_withdrawal.ts";
export type { SignInAttemptLimits, SignInAttemptStore } from "./sign_in_attempt_store.ts";
export type { SignInAttemptCount } from "./sign_in_attempt_count.ts";
export type { SessionStore } from "./session_store.ts";
export { openStore, type Store, type StoreOptions } from "./store.ts";
export type { StoreGroups, StoreOperation, StorePart } from "./store_groups.ts";
export { type NewTemplate, templateIdOf, type TemplateSummaries } from "./template_head.ts";
export type {
  Publication,
  Published,
  TemplateStore,
  VersionOf,
  VersionSummary,
} from "./template_store.ts";
export type { StatisticsRecount } from "./statistics_recount.ts";
export {
  type BundleStore,
  type PlannedTemplate,
  type SharedChanges,
  type TemplateChange,
  type TemplateChanged,
} from "./bundle_store.ts";
export type { TemplateUse, TemplateUses } from "./template_use.ts";
export type { StatisticsNote, StatisticsStore } from "./statistics_store.ts";
export {
  type AttemptCounts,
  COUNTED,
  type Counted,
  COUNTED_ATTEMPTS,
  STATISTICS_BUCKET_MS,
  type StatisticsBucket,
} from "./statistics_bucket.ts";
export type { UsageDay } from "./usage_day.ts";
export { dayOf, type UsageNote, type UsageStore } from "./usage_store.ts";
export { isLive, type NewToken, type TokenStore } from "./token_store.ts";
export { openVersionCache, type VersionCache, type VersionCacheOptions } from "./version_cache.ts";
export type { UnreadVersion, VersionReads } from "./version_reads.ts";
export { reasonOfPause, WAITING_REASON } from "./waiting_reason.ts";
