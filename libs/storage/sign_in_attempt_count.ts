/** How often something was tried in vain under a name. */
export interface SignInAttemptCount {
  /** What the name is stored as: it may hold a person's address. */
  _id: string;
  failures: number;
  lastAt: Date;
  /** Until when it must not be tried again. */
  waitUntil: Date;
  /** Whether the last attempt was refused, and so not counted. */
  isRefused: boolean;
  /** When nobody cares any more. */
  forgetAt: Date;
}
