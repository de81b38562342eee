/** How many bytes of requests to send were accepted of an account on a day. */
export interface UsageDay {
  /** `<account>/<day>` */
  _id: string;
  accountId: string;
  /** Midnight, UTC. */
  day: Date;
  bytes: number;
}
