import assert from "node:assert/strict";
import { test } from "node:test";
import { srgbProfile } from "./srgb_profile.ts";

test("srgbProfile() is as long as it says, and its tags are inside it, at multiples of four", () => {
  const profile = srgbProfile();
  assert.equal(profile.readUInt32BE(0), profile.length);
  assert.equal(profile.toString("latin1", 12, 24), "mntrRGB XYZ ");
  assert.equal(profile.toString("latin1", 36, 40), "acsp");
  const count = profile.readUInt32BE(128);
  for (let entry = 132; entry < 132 + 12 * count; entry += 12) {
    const [at, size] = [profile.readUInt32BE(entry + 4), profile.readUInt32BE(entry + 8)];
    assert.equal(at % 4, 0);
    assert.ok(at >= 132 + 12 * count && at + size <= profile.length);
  }
});

test("srgbProfile() has colorants whose sum is its white point, within a thousandth", () => {
  const profile = srgbProfile();
  const xyz = (name: string) => {
    const at = profile.readUInt32BE(profile.indexOf(name, 132, "latin1") + 4) + 8;
    return [0, 4, 8].map((offset) => profile.readInt32BE(at + offset) / 65_536);
  };
  const [red, green, blue, white] = [xyz("rXYZ"), xyz("gXYZ"), xyz("bXYZ"), xyz("wtpt")];
  for (const [axis, value] of white.entries()) {
    const sum = (red[axis] ?? 0) + (green[axis] ?? 0) + (blue[axis] ?? 0);
    assert.ok(Math.abs(sum - value) < 0.001, `${sum} ${value}`);
  }
});
