import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { Chaos, Fault } from "./fault.ts";

/** Faults of the printed PDFs between printer and mailer. */
export const OBJECTS: Fault = {
  name: "objects",
  description: "Stored PDFs are deleted, lose their bytes or get others",
  settings: { mailer: { ATTACHMENT_CACHE: "0" } },
  mix: { sharedPdf: 0.5, ownPdf: 0.05, bulk: 0.05 },
  async run(chaos) {
    await using connection = await connectTo(chaos);
    while (await chaos.pause(chaos.random.integer(50, 400))) await harm(connection, chaos);
  },
};

/** Space for three or four PDFs of one page, in bytes. */
const SMALL_STORE = 40_000;

/** The printed PDFs exceed the space of their store. */
export const OBJECTS_FULL: Fault = {
  name: "objects-full",
  description:
    "The store of PDFs has room for three or four: the newest drive out what is still to be sent",
  settings: { mailer: { ATTACHMENT_CACHE: "0" } },
  mix: { sharedPdf: 0.2, ownPdf: 0.3, bulk: 0.02 },
  async run(chaos) {
    await using connection = await connectTo(chaos);
    const { streams } = await jetstreamManager(connection);
    const { config } = await streams.info(STREAM);
    while (await chaos.pause(chaos.random.integer(500, 2000))) {
      await streams.update(STREAM, { max_bytes: SMALL_STORE });
      chaos.count("other", "full");
      await chaos.pause(chaos.random.integer(1000, 4000));
      await streams.update(STREAM, { max_bytes: config.max_bytes });
    }
  },
};

const STREAM = "OBJ_pdfs";

function connectTo({ fixture }: Chaos) {
  return connect({ servers: fixture.natsUrl.split(","), name: "chaos" });
}

type Connection = Awaited<ReturnType<typeof connect>>;

async function harm(connection: Connection, { random, count }: Chaos): Promise<void> {
  const { streams } = await jetstreamManager(connection);
  const { state } = await streams.info(STREAM, { subjects_filter: ">" });
  const subjects = Object.keys(state.subjects ?? {});
  if (subjects.length === 0) return;
  // The one that all share is the newest as often as any other.
  const subject = random.pick(subjects);
  const kind = random.pick(["delete", "empty", "damage", "damage"]);
  const client = jetstream(connection);
  if (kind === "delete") await streams.purge(STREAM, { filter: subject });
  else if (kind === "empty") await client.publish(subject, "");
  else {
    const stored = await streams.getMessage(STREAM, { last_by_subj: subject });
    if (stored === null) return;
    const bytes = Uint8Array.from(stored.data);
    const at = random.integer(Math.floor(bytes.length / 4), Math.floor(bytes.length / 2));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await client.publish(subject, bytes);
  }
  count("other", kind);
}
