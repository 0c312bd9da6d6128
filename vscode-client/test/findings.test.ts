import assert from "node:assert/strict";
import { test } from "node:test";
import { changeBetween } from "../src/findings/change";

const TEXTS = [
  "",
  "\n",
  "a\n",
  "\na\n",
  "a\nb\nc\n",
  "a\r\nb\r\nc\r\n",
  "a\nx\nc\n",
  "a\nb\nb\nc\n",
  "b\n",
  "a\n😀\nc",
  "a\n😁\nc",
];

test("a change turns any text into any other, and never cuts a character or a line break", () => {
  for (const old of TEXTS) {
    for (const wanted of TEXTS) {
      const { start, end, inserted } = changeBetween(old, wanted);
      assert.equal(old.slice(0, start) + inserted + old.slice(end), wanted);
      for (const offset of [start, end]) {
        assert.ok([undefined, "\n"].includes(old[offset - 1]) || offset === old.length);
      }
    }
  }
});

test("a change leaves the lines around it alone", () => {
  assert.deepEqual(changeBetween("a\nb\nc\n", "a\nxy\nc\n"), {
    start: 2,
    end: 4,
    inserted: "xy\n",
  });
});
