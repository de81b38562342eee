import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The properties of a mail that are known without opening it. */
export interface StoredMail {
  /** Sixteen characters that sort by the time of arrival. */
  readonly id: string;
  readonly receivedAt: Date;
  /** Bytes as they came over SMTP. */
  readonly size: number;
}

/** The raw mails on disk, newest first. */
export interface MailStore {
  add(raw: Uint8Array): Promise<StoredMail>;
  list(): StoredMail[];
  find(id: string): StoredMail | undefined;
  /** The bytes as received, or `undefined` when there is no such mail. */
  raw(id: string): Promise<Uint8Array | undefined>;
  /** Returns whether there was such a mail. */
  remove(id: string): Promise<boolean>;
  clear(): Promise<void>;
  count(): number;
  /** Calls back after every change, until the returned function is called. */
  subscribe(onChange: () => void): () => void;
}

const FILE = /^([0-9a-z]{16})\.eml$/;

/** Opens the folder, made when missing, and counts what an earlier run left there. */
export async function openMailStore(
  { dataDir, limit }: { dataDir: string; limit: number },
): Promise<MailStore> {
  await mkdir(dataDir, { recursive: true });
  const mails = await readFolder(dataDir);
  const listeners = new Set<() => void>();
  const nextId = idMaker();
  const path = (id: string) => join(dataDir, `${id}.eml`);

  function changed(): void {
    for (const onChange of listeners) onChange();
  }

  async function drop(ids: readonly string[]): Promise<void> {
    for (const id of ids) mails.delete(id);
    await Promise.all(ids.map((id) => rm(path(id), { force: true })));
  }

  function excess(): string[] {
    return [...mails.keys()].slice(0, Math.max(0, mails.size - limit));
  }

  await drop(excess());
  return {
    async add(raw) {
      const id = nextId();
      // A reader, or the next run, must never meet half a mail.
      await writeFile(`${path(id)}.tmp`, raw, { flag: "wx" });
      await rename(`${path(id)}.tmp`, path(id));
      const mail = { id, receivedAt: receivedAt(id), size: raw.byteLength };
      mails.set(id, mail);
      if (mails.size > limit) await drop(excess());
      changed();
      return mail;
    },
    list: () => [...mails.values()].sort((a, b) => (a.id < b.id ? 1 : -1)),
    find: (id) => mails.get(id),
    async raw(id) {
      if (!mails.has(id)) return undefined;
      try {
        return await readFile(path(id));
      } catch (error) {
        if (!isMissing(error)) throw error;
        mails.delete(id);
        return undefined;
      }
    },
    async remove(id) {
      if (!mails.has(id)) return false;
      await drop([id]);
      changed();
      return true;
    },
    async clear() {
      await drop([...mails.keys()]);
      changed();
    },
    count: () => mails.size,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}

async function readFolder(dataDir: string): Promise<Map<string, StoredMail>> {
  const mails = new Map<string, StoredMail>();
  for (const name of (await readdir(dataDir)).sort()) {
    if (/^[0-9a-z]{16}\.eml\.tmp$/.test(name)) await unlink(join(dataDir, name));
    const id = FILE.exec(name)?.[1];
    if (id === undefined) continue;
    const { size } = await stat(join(dataDir, name));
    mails.set(id, { id, receivedAt: receivedAt(id), size });
  }
  return mails;
}

/** Milliseconds, a counter for mails of one millisecond, and three random characters. */
function idMaker(): () => string {
  let count = 0;
  return () => {
    const time = base36(Date.now(), 9);
    const random = base36(Math.floor(Math.random() * 36 ** 3), 3);
    return time + base36(count++ % 36 ** 4, 4) + random;
  };
}

function base36(value: number, width: number): string {
  return value.toString(36).padStart(width, "0");
}

function receivedAt(id: string): Date {
  return new Date(parseInt(id.slice(0, 9), 36));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
