/** One replacement, by offsets in UTF-16 units. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly inserted: string;
}

/** What turns one text into another: what lies between their common ends, in whole lines. */
export function changeBetween(old: string, wanted: string): Change {
  const room = Math.min(old.length, wanted.length);
  let start = 0;
  while (start < room && old[start] === wanted[start]) {
    start += 1;
  }
  start = start === 0 ? 0 : old.lastIndexOf("\n", start - 1) + 1;
  let tail = 0;
  while (tail < room - start && old.at(-1 - tail) === wanted.at(-1 - tail)) {
    tail += 1;
  }
  // Back to where a line begins in both: half a surrogate pair or a line break is no place to cut.
  while (tail > 0 && old[old.length - tail - 1] !== "\n") {
    tail -= 1;
  }
  return { start, end: old.length - tail, inserted: wanted.slice(start, wanted.length - tail) };
}
