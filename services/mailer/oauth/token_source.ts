/** An access token for a login. */
export interface AccessToken {
  /** Identifies it, without being secret. */
  id: string;
  token: string;
}

/** Where connections to a server get their access tokens. */
export interface TokenSource {
  /** Identifies the login, without its secrets. */
  readonly id: string;
  /** Returns a valid token. @throws {OauthFailure} */
  get(): Promise<AccessToken>;
  /**
   * Returns a token in place of one that the server refused; `undefined` if another one would be refused, too.
   *
   * @throws {OauthFailure}
   */
  replace(refusedId: string): Promise<AccessToken | undefined>;
}
