/**
 * Returns the owner of an account's interactive requests in the sandbox. Drafts are often slow, and must not
 * mark the account's own mail as slow.
 */
export function interactiveOwner(accountId: string): string {
  return `interactive/${accountId}`;
}
