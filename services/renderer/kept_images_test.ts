import assert from "node:assert/strict";
import { test } from "node:test";
import { filesWithImages, type PinnedAsset } from "@posthaste/contracts";
import { mailAddresses, openKeptImages } from "./kept_images.ts";

const FILE = { size: 3, filename: "logo.png", contentType: "image/png" };
const asset = (name: string, letter: string): PinnedAsset => ({
  ...{ ...FILE, name, sha256: letter.repeat(64) },
});
const LOGO = asset("logo", "a");

function openStore(loads: string[] = []) {
  return {
    assets: {
      findName: (accountId: string, name: string) =>
        Promise.resolve(
          accountId === "acc_1" && name === "logo"
            ? { ...LOGO, accountId, alt: "Shop", updatedAt: new Date(0) }
            : null,
        ),
      find: (accountId: string, sha256: string) => {
        loads.push(sha256.slice(0, 1));
        const isThere = accountId === "acc_1" && sha256.startsWith("a");
        return Promise.resolve(isThere ? Buffer.from("abc") : null);
      },
    },
  };
}

test("openKeptImages() finds the files of an account by name, and null for others", async () => {
  const uses = ["logo", "none"].map((name) => ({ name, line: 1, column: 2 }));
  const kept = openKeptImages(openStore());
  const owner = { accountId: "acc_1", kind: "email" as const };
  assert.deepEqual(await kept.find(uses, owner), [
    { ...uses[0], asset: LOGO },
    { ...uses[1], asset: null },
  ]);
  const [foreign] = await kept.find(uses, { ...owner, accountId: "acc_2" });
  assert.equal(foreign?.asset, null);
});

test("openKeptImages() gives mails URLs below the operator's base, and PDFs none", async () => {
  const kept = openKeptImages(openStore(), { baseUrl: "https://mail.example/" });
  const uses = [{ name: "logo", line: 1, column: 1 }];
  const [inMail] = await kept.find(uses, { accountId: "acc_1", kind: "email" });
  assert.equal(inMail?.asset?.url, `https://mail.example/assets/${LOGO.sha256}`);
  const [inPdf] = await kept.find(uses, { accountId: "acc_1", kind: "pdf" });
  assert.equal(inPdf?.asset?.url, undefined);
});

test("openKeptImages() embeds images, loads each once, and leaves out those that are gone", async () => {
  const loads: string[] = [];
  const kept = openKeptImages(openStore(loads));
  const wanted = [LOGO, asset("gone", "b")];
  for (const _ of [1, 2]) {
    const addresses = await kept.embedded("acc_1", wanted);
    assert.deepEqual(addresses, { logo: "data:image/png;base64,YWJj" });
  }
  assert.deepEqual(loads, ["a", "b", "b"]);
  assert.deepEqual(await kept.embedded("acc_2", [LOGO]), {});
});

test("filesWithImages() adds the images that a mail carries, and lets a request replace one", () => {
  const { name: contentId, ...file } = LOGO;
  const shown = { ...asset("shown", "c"), url: "https://mail.example/assets/c" };
  assert.deepEqual(filesWithImages(undefined, undefined), []);
  assert.deepEqual(filesWithImages(undefined, [LOGO, shown]), [{ ...file, contentId }]);
  const own = { ...file, sha256: "d".repeat(64), contentId };
  assert.deepEqual(filesWithImages([own], [LOGO]), [own]);
  assert.deepEqual(mailAddresses([LOGO, shown]), { logo: "cid:logo", shown: shown.url });
});

test("openKeptImages() finds files that a push brings instead of those that are kept", async () => {
  const kept = openKeptImages(openStore(), { baseUrl: "https://mail.example" });
  const uses = ["logo", "new"].map((name) => ({ name, line: 1, column: 1 }));
  const instead = [asset("logo", "c"), asset("new", "d"), asset("other", "e")];
  const found = await kept.find(uses, { accountId: "acc_1", kind: "email", instead });
  assert.deepEqual(found.map(({ asset }) => [asset?.sha256.slice(0, 1), asset?.url?.slice(-1)]), [
    ["c", "c"],
    ["d", "d"],
  ]);
});
