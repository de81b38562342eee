import type { Fault } from "./fault.ts";
import { addEndpoint, openReceiver, verifyTaken } from "./webhook_endpoint.ts";

/** SIGKILL of what records events and of what delivers them, beside an endpoint that sometimes fails. */
export const KILL_WEBHOOKS: Fault = {
  name: "kill-webhooks",
  description:
    "SIGKILL of trackers and webhooks; each event reaches an endpoint that fails at times",
  backlog: 0.4,
  async run(chaos) {
    const { fixture: { pods }, account, random, pause, count } = chaos;
    const receiver = await openReceiver(random);
    const { position } = await addEndpoint(chaos, account.accountId, receiver.url);
    await Promise.all([pods.start("webhooks"), pods.start("webhooks"), pods.start("tracker")]);
    // On a busy machine the load may be over before they have started.
    let goesOn: boolean;
    do {
      goesOn = await pause(random.integer(300, 2500));
      const pod = random.pick(pods.running(random.pick(["webhooks", "tracker"])));
      await pods.end(pod, "SIGKILL");
      count("crash", pod.role);
      await pods.start(pod.role);
    } while (goesOn);
    return async (feed) => {
      using _receiver = receiver;
      const due = feed.filter(({ sequence }) => sequence > position);
      await verifyTaken(chaos, { receiver, feed: due });
      const [first, ...others] = pods.running("tracker");
      const left = [...pods.running("webhooks"), ...first === undefined ? [] : others];
      await Promise.all(left.map((pod) => pods.end(pod, "SIGTERM")));
    };
  },
};
