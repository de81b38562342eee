import type { NatsConnection } from "@nats-io/nats-core";

/** What the processes of one machine tell each other about mail that has to wait there. */
export interface Pressure {
  /** Single messages have to wait here. */
  tell(): void;
  /** Calls whenever any process of this machine says so, this one among them. Asked once. */
  follow(onPressed: () => void): void;
}

/** Subject on which the processes of a machine tell that; nothing is stored. */
export const PRESSURE_SUBJECT = "lane.pressed.*";

/**
 * Opens what is told on a machine: its cores are what stages share that share nothing else, so a
 * printer that sees only bulk learns here that single messages wait at the mailer beside it.
 *
 * @param machine Name of the machine; in a container its own, where cores are not shared either.
 */
export function openPressure(connection: NatsConnection, machine: string): Pressure {
  const subject = PRESSURE_SUBJECT.replace("*", machine.replace(/[^\w-]+/g, "_") || "unknown");
  let isFollowed = false;
  return {
    tell: () => connection.publish(subject),
    follow(onPressed) {
      if (isFollowed) return;
      isFollowed = true;
      connection.subscribe(subject, {
        callback: (error) => {
          if (error === null) onPressed();
        },
      });
    },
  };
}
