/**
 * Names who asks the sandbox on behalf of an account's people. What they try out is often slow, and must
 * not have the account's own mail count as slow.
 */
export function interactiveOwner(accountId: string): string {
  return `interactive/${accountId}`;
}
