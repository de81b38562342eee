import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Integration, isOauthLogin } from "@posthaste/contracts";
import {
  type MasterKeys,
  openSecret,
  sealingKeyOf,
  sealSecret,
  type SecretBinding,
  type SmtpToken,
  type SmtpTokenState,
  type StorePart,
} from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import { LRUCache } from "lru-cache";
import { keepRefreshToken } from "./keep_refresh_token.ts";
import type { AccessToken } from "./token_source.ts";
import { openLogin } from "./open_login.ts";
import { OauthFailure, unavailable } from "./oauth_failure.ts";
import { type OpenedLogin, providerOf } from "./opened_login.ts";
import type { IssuedToken } from "./read_token_answer.ts";

/** Whose token it is, as a mailer knows the integration: its settings may have changed since. */
export type TokenOwner = Pick<
  Integration,
  "_id" | "accountId" | "id" | "revision" | "host" | "port"
>;

/**
 * The access tokens of integrations, shared by all mailers. A token is only for the host and port that it was
 * fetched for.
 */
export interface AccessTokens {
  /** Returns a valid token: the stored one, or one that a provider issues now. @throws {OauthFailure} */
  get(owner: TokenOwner): Promise<AccessToken>;
  /**
   * Returns a token in place of one that the SMTP server refused; `undefined` if that one replaced a refused
   * one itself a moment ago: then the token is not at fault.
   *
   * @throws {OauthFailure}
   */
  replace(owner: TokenOwner, refusedId: string): Promise<AccessToken | undefined>;
}

/** The dependencies of {@linkcode openAccessTokens}. */
export type AccessTokensDeps =
  & StorePart<"smtpTokens.find" | "smtpTokens.claim" | "smtpTokens.save" | "smtpTokens.release">
  & StorePart<"integrations.find" | "integrations.replaceRefreshToken">
  & {
    keys: MasterKeys;
    /** Asks the provider. */
    fetchToken(login: OpenedLogin): Promise<IssuedToken>;
    /** The time, by the database's clock. */
    now(): Date;
    logger: Pick<Logger, "info" | "warn">;
  };

/** Longer than a request to a provider with the writes around it. */
const CLAIM_MS = 20_000;
/** Maximum wait for another mailer's request. */
const WAIT_MS = CLAIM_MS + 5000;
const POLL_MS = 200;

/** Renewal ahead of expiry: a part of the lifetime, in which the old token is still used. */
const RENEWED_PART = 0.2;
const MAX_AHEAD_MS = 600_000;

/** A token that replaced a refused one is not replaced itself before this time. */
const REPLACED_MS = 60_000;

/** After a failure the provider is not asked again before this time, unless it names another. */
const FAILURE_KEPT_MS = 10_000;

/** A document without a valid token is of no use. */
const KEPT_MS = 24 * 3_600_000;

const MAX_TOKENS = 10_000;

/** A token in the memory of this process. */
interface Known extends AccessToken {
  server: string;
  revision: number;
  renewAt: number;
  expiresAt: number;
}

/** What a search for a token accepts. */
interface Wanted {
  /** Not this one. */
  refusedId?: string | undefined;
  /** Only one that need not be renewed yet. */
  isFresh?: boolean;
}

/**
 * Opens the access tokens. Of all mailers, one asks the provider, under a claim in the database, while the
 * others wait for its answer.
 */
export function openAccessTokens(deps: AccessTokensDeps): AccessTokens {
  const { now, logger } = deps;
  const memory = new LRUCache<string, Known>({ max: MAX_TOKENS });
  const searches = new Map<string, Promise<AccessToken | undefined>>();

  /** Joins a search of this process for the same. */
  function search(owner: TokenOwner, wanted: Wanted): Promise<AccessToken | undefined> {
    const key = JSON.stringify([
      owner._id,
      serverOf(owner),
      owner.revision,
      wanted.refusedId,
      wanted.isFresh,
    ]);
    const running = searches.get(key);
    if (running !== undefined) return running;
    const started = obtain(owner, wanted).finally(() => searches.delete(key));
    searches.set(key, started);
    return started;
  }

  async function obtain(owner: TokenOwner, wanted: Wanted): Promise<AccessToken | undefined> {
    const until = performance.now() + WAIT_MS;
    while (performance.now() < until) {
      const state = await deps.smtpTokens.find(owner.accountId, owner._id);
      const found = state === null ? undefined : usable(owner, state, wanted);
      if (found !== undefined) return found;
      if (state !== null) {
        throwFailure(owner, state, now());
        if (isReplacement(state, wanted, now())) return undefined;
      }
      const claim = {
        ...{ id: owner._id, accountId: owner.accountId, version: state?.version ?? null },
        holder: randomBytes(12).toString("hex"),
      };
      if (await deps.smtpTokens.claim({ ...claim, forMs: CLAIM_MS })) {
        return await refresh(owner, claim.holder, wanted);
      }
      await delay(POLL_MS);
    }
    throw unavailable("Another mailer waits for the provider's answer");
  }

  /** Opens the stored token if it is what is wanted. */
  function usable(
    owner: TokenOwner,
    { revision = 0, token }: SmtpTokenState,
    { refusedId, isFresh = false }: Wanted,
  ): AccessToken | undefined {
    if (token === undefined || token.id === refusedId || revision < owner.revision) {
      return undefined;
    }
    if (now() >= (isFresh ? token.renewAt : token.expiresAt)) return undefined;
    try {
      const binding = { ...bindToken(owner), keys: deps.keys };
      return remember(owner, { ...token, revision }, openSecret(token.sealed, binding));
    } catch {
      // Of another server, or sealed to a key that this process does not have.
      return undefined;
    }
  }

  function remember(
    owner: TokenOwner,
    { id, revision, renewAt, expiresAt }: Omit<SmtpToken, "sealed"> & { revision: number },
    token: string,
  ): AccessToken {
    const times = { renewAt: renewAt.getTime(), expiresAt: expiresAt.getTime() };
    memory.set(owner._id, { id, token, server: serverOf(owner), revision, ...times });
    return { id, token };
  }

  async function refresh(
    owner: TokenOwner,
    holder: string,
    { refusedId }: Wanted,
  ): Promise<AccessToken> {
    const { _id: id, accountId } = owner;
    // As it is now: its provider may have replaced the refresh token.
    const integration = await deps.integrations.find(accountId, owner.id);
    const answer = { id, accountId, holder, version: randomBytes(12).toString("hex") };
    if (integration !== null && serverOf(integration) !== serverOf(owner)) {
      // Nothing is stored: it does not concern the current server.
      await deps.smtpTokens.release(answer);
      throw serverChanged();
    }
    const revision = integration?.revision ?? owner.revision;
    try {
      if (integration === null) throw unavailable("The SMTP integration no longer exists");
      const issued = await ask(integration);
      const token = tokenOf(integration, issued, refusedId !== undefined);
      const keptUntil = new Date(token.expiresAt.getTime() + KEPT_MS);
      const isKept = await deps.smtpTokens.save({ ...answer, revision, keptUntil, token });
      // It is valid all the same.
      if (!isKept) {
        logger.warn("Another mailer asked for the same access token", { integration: id });
      } else logger.info("Got an access token", { integration: id });
      return remember(owner, { ...token, revision }, issued.accessToken);
    } catch (error) {
      if (!(error instanceof OauthFailure)) {
        await deps.smtpTokens.release(answer).catch(() => undefined);
        throw error;
      }
      const { message: reason, remedy, isPermanent, retryAfterMs = FAILURE_KEPT_MS } = error;
      const retryAt = new Date(now().getTime() + Math.max(retryAfterMs, FAILURE_KEPT_MS));
      const failure = { reason, remedy, isPermanent, retryAt };
      const keptUntil = new Date(now().getTime() + KEPT_MS);
      await deps.smtpTokens.save({ ...answer, revision, keptUntil, failure });
      logger.warn("Cannot get an access token", { integration: id, error });
      throw error;
    }
  }

  async function ask(integration: Integration): Promise<IssuedToken> {
    const { _id: recordId, auth } = integration;
    if (auth === null || !isOauthLogin(auth)) throw unavailable("The login was changed");
    const opened = openLogin(auth, { ...integration, recordId }, deps.keys);
    const issued = await counted(opened, () => deps.fetchToken(opened));
    // Before the access token: without it, the next request might be refused.
    if (!await keepRefreshToken({ integration, auth, opened, issued }, deps)) {
      logger.warn("A refresh token was changed while it was used", { integration: recordId });
    }
    return issued;
  }

  function tokenOf(
    integration: Integration,
    { accessToken, expiresInMs }: IssuedToken,
    isReplacement: boolean,
  ): SmtpToken {
    const obtainedAt = now();
    const expiresAt = new Date(obtainedAt.getTime() + expiresInMs);
    const aheadMs = Math.min(expiresInMs * RENEWED_PART, MAX_AHEAD_MS);
    const binding = { ...bindToken(integration), key: sealingKeyOf(deps.keys) };
    return {
      id: randomBytes(12).toString("hex"),
      sealed: sealSecret(accessToken, binding),
      ...{ obtainedAt, renewAt: new Date(expiresAt.getTime() - aheadMs), expiresAt, isReplacement },
    };
  }

  return {
    async get(owner) {
      const known = memory.get(owner._id);
      const at = now().getTime();
      if (known !== undefined && isFor(owner, known) && at < known.expiresAt) {
        if (at >= known.renewAt) renew(owner);
        return known;
      }
      const found = await search(owner, {});
      if (found === undefined) throw unavailable("The access token was refused a moment ago");
      return found;
    },
    async replace(owner, refusedId) {
      if (memory.get(owner._id)?.id === refusedId) memory.delete(owner._id);
      return await search(owner, { refusedId });
    },
  };

  /** Mail goes on with the old token. */
  function renew(owner: TokenOwner): void {
    search(owner, { isFresh: true }).catch((error) => {
      if (error instanceof OauthFailure) return;
      logger.warn("Cannot renew an access token", { integration: owner._id, error });
    });
  }
}

/** Counts a request to a provider by its outcome. */
async function counted<T>(login: OpenedLogin, request: () => Promise<T>): Promise<T> {
  const note = (outcome: "issued" | "refused" | "unavailable") =>
    count("posthaste.oauth.refreshes", 1, {
      "posthaste.provider": providerOf(login),
      "posthaste.outcome": outcome,
    });
  try {
    const answer = await request();
    note("issued");
    return answer;
  } catch (error) {
    note(error instanceof OauthFailure && error.isPermanent ? "refused" : "unavailable");
    throw error;
  }
}

/** Another request would get the same answer so soon. */
function throwFailure(owner: TokenOwner, { failure, revision = 0 }: SmtpTokenState, now: Date) {
  if (failure === undefined || revision < owner.revision || now >= failure.retryAt) return;
  const { reason, remedy, isPermanent } = failure;
  throw new OauthFailure(reason, { remedy, isPermanent });
}

function isReplacement({ token }: SmtpTokenState, { refusedId }: Wanted, now: Date): boolean {
  return token !== undefined && token.id === refusedId && token.isReplacement &&
    now.getTime() < token.obtainedAt.getTime() + REPLACED_MS;
}

/** Returns the failure of a mailer whose settings are too old. */
function serverChanged(): OauthFailure {
  return new OauthFailure("The SMTP server of the integration was changed meanwhile", {
    isPermanent: false,
    remedy: "The mail is tried again by itself, at the new server",
  });
}

function isFor(owner: TokenOwner, { revision, server }: Known): boolean {
  return revision >= owner.revision && server === serverOf(owner);
}

/** Only the server that it is for may receive it. */
function bindToken(owner: TokenOwner): SecretBinding {
  const { _id: recordId, accountId } = owner;
  return { accountId, recordId, field: "smtp_tokens.token", server: serverOf(owner) };
}

function serverOf({ host, port }: Pick<TokenOwner, "host" | "port">): string {
  return `${host}:${port}`;
}
