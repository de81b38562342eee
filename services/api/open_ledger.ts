import {
  accountLocale,
  cachedIntegrations,
  openSuppressionLookup,
  openVersionCache,
  type Store,
} from "@posthaste/storage";
import type { Finding } from "./finding.ts";
import type { Ledger, Usage } from "./ledger.ts";

/** The operations of a store that the interface uses, by its own names. */
export interface ApiLedger extends Ledger, Finding, Usage {
  touchToken: Store["tokens"]["touch"];
  listClosed: Store["integrations"]["listClosed"];
}

/** Opens the ledger of the interface: integrations and versions are mostly read from memory. */
export function openLedger(
  {
    accounts,
    assets,
    audit,
    batches,
    events,
    integrations,
    messages,
    sends,
    suppressions,
    templates,
    tokens,
    usage,
    waiting,
  }: Store,
): ApiLedger {
  const { emailVersion, latestEmailVersion, latestPdfVersion, pdfVersion } = openVersionCache(
    templates,
  );
  return {
    emailVersion,
    pdfVersion,
    latestEmailVersion,
    latestPdfVersion,
    findAccount: accounts.find,
    accountLocale: accountLocale(accounts),
    findAsset: assets.find,
    findAssetName: assets.findName,
    keepAssets: assets.keep,
    findShownAsset: assets.findShown,
    findToken: tokens.find,
    touchToken: tokens.touch,
    listPublishedTemplates: templates.listPublished,
    findPublishedTemplate: templates.findPublished,
    findIntegration: cachedIntegrations(integrations).find,
    listIntegrationSummaries: integrations.listSummaries,
    findIntegrationSummary: integrations.findSummary,
    listClosed: integrations.listClosed,
    acceptSend: sends.accept,
    findSend: sends.find,
    findSendByIdempotencyKey: sends.findByIdempotencyKey,
    groupReasons: messages.groupReasons,
    rescheduleSend: waiting.rescheduleSend,
    noteAudit: audit.note,
    listEvents: events.list,
    feedBounds: events.bounds,
    grownFeeds: events.grown,
    searchSends: sends.search,
    withdrawSend: sends.withdraw,
    findMessage: messages.findWithHead,
    listMessages: messages.list,
    findPlaces: messages.findPlaces,
    searchMessages: messages.search,
    labelsOfFound: messages.labelsOfFound,
    retryMessage: messages.retry,
    batches,
    amongSuppressed: openSuppressionLookup(suppressions),
    listSuppressions: suppressions.list,
    addSuppressions: suppressions.add,
    removeSuppressions: suppressions.remove,
    cancelMessage: messages.cancel,
    cancelSend: messages.cancelSend,
    cancelSome: messages.cancelSome,
    noteUsage: usage.note,
    listUsage: usage.list,
  };
}
