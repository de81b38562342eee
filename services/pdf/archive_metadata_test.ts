import assert from "node:assert/strict";
import { test } from "node:test";
import { archiveMetadata } from "./archive_metadata.ts";

const base = { creator: "c", producer: "p", madeAt: new Date(0) };

test("archiveMetadata() stays XML, whatever the title is", () => {
  const packet = archiveMetadata({ ...base, title: "]]>\u0000<a>&\u000b\ud800\uffff" });
  assert.ok(packet.includes(`xml:lang="x-default">]]&gt;&lt;a&gt;&amp;\ufffd</rdf:li>`), packet);
});

test("archiveMetadata() speaks of an invoice only if there is one", () => {
  assert.doesNotMatch(archiveMetadata(base), /factur-x|pdfaExtension|dc:/);
  const packet = archiveMetadata({ ...base, profile: "basic_wl" });
  assert.match(packet, /<fx:ConformanceLevel>BASIC WL<\/fx:ConformanceLevel>/);
  assert.equal(packet.match(/<pdfaProperty:name>/g)?.length, 4);
});
