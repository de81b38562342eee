/**
 * Names who asks the cage on behalf of an account's people. What they try out is often slow, and must
 * not have the account's own mail count as slow.
 */
export function deskOwner(accountId: string): string {
  return `desk/${accountId}`;
}
