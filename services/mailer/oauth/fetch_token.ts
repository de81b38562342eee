import { type OpenedLogin, providerOf } from "./opened_login.ts";
import { postForm, type PostFormOptions } from "./post_form.ts";
import { type IssuedToken, readTokenAnswer } from "./read_token_answer.ts";
import {
  codeRequestOf,
  type ConsentCode,
  type TokenEndpoints,
  tokenRequestOf,
} from "./token_request.ts";

/** How providers are asked. */
export interface TokenClient extends PostFormOptions {
  endpoints: TokenEndpoints;
  /** The time, by the database's clock: assertions contain it. */
  now(): Date;
}

/** Asks a provider for an access token. @throws {OauthFailure} */
export async function fetchToken(
  login: OpenedLogin,
  { endpoints, now, ...options }: TokenClient,
): Promise<IssuedToken> {
  const request = tokenRequestOf(login, { endpoints, now: now() });
  const answer = await postForm(request, options);
  return readTokenAnswer(answer, { provider: providerOf(login), kind: login.kind });
}

/** Exchanges the code of a consent for tokens. @throws {OauthFailure} */
export async function exchangeCode(
  login: Extract<OpenedLogin, { kind: "oauthRefreshToken" }>,
  code: ConsentCode,
  { endpoints, ...options }: TokenClient,
): Promise<IssuedToken> {
  const answer = await postForm(codeRequestOf(login, code, endpoints), options);
  return readTokenAnswer(answer, { provider: login.provider, kind: "code" });
}
