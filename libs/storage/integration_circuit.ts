/** An integration whose server could not be reached lately, or refused its login. A healthy one has no such record. */
export interface IntegrationCircuit {
  /** `_id` of the integration. */
  _id: string;
  /** Failures in a row, to connect and greet; while nothing is tried none are counted. */
  failures: number;
  /** Nothing is tried before this; null while it is not left alone. */
  openUntil: Date | null;
  /** A sentence about the last failure. */
  reason: string;
  /** When its server refused the login for the first time since it took one. */
  loginRefusedAt?: Date;
}

/** Returns the reason for which mail waits while the circuit of its integration is open. */
export function reasonOfCircuit(
  { reason, loginRefusedAt }: Pick<IntegrationCircuit, "reason" | "loginRefusedAt">,
): string {
  // The login is tried again in a minute; a server that cannot be reached is left alone for a while.
  return loginRefusedAt
    ? `The integration pauses for a minute: ${reason}`
    : `The SMTP server cannot be reached: ${reason}`;
}
