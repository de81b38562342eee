const MIGRATE = 'run "posthaste migrate" with the same NATS_URL';
const OPERATOR =
  "set NATS_URL to the operator's address, with its ?api= where the broker has accounts for the services";

/** By the names of errors: the client of the broker is not loaded for every command. */
const REMEDIES: Readonly<Record<string, string>> = {
  MissingStreamsError: MIGRATE,
  StreamNotFoundError: MIGRATE,
  JetStreamNotEnabled: `check that nats-server runs with JetStream (-js), and ${OPERATOR}`,
  PermissionViolationError: OPERATOR,
  AuthorizationError: "check the user and the password in NATS_URL",
};

/** Returns what an operator can do about an error of the broker; `undefined` if it is another error. */
export function brokerRemedy(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return Object.hasOwn(REMEDIES, error.name) ? REMEDIES[error.name] : undefined;
}

/** Returns what an operator can do about a broker that cannot be opened. */
export function brokerOpeningRemedy(
  error: unknown,
  settings: { remedy(otherwise: string): string },
): string | undefined {
  return brokerRemedy(error) ??
    settings.remedy("check that nats-server runs with JetStream and NATS_URL is correct");
}
