/**
 * The check sum of a record. Every step is reversible: with what follows unchanged, a change within one word always shows.
 * The group's SHA-256 is what vouches for the bytes; this one tells which record of a damaged group it is.
 */

const FIRST = 0x5bd1e995;
const SECOND = 0x1b873593;

/** 32 bits over the bytes of a view, from `start` up to `end`. A word at a time, in two chains that run side by side. */
export function checksumOf(view: DataView, start: number, end: number): number {
  let first = end - start;
  let second = FIRST;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    first = Math.imul(first ^ view.getInt32(at, true), FIRST);
    second = Math.imul(second ^ view.getInt32(at + 4, true), SECOND);
    first = (first << 13) | (first >>> 19);
    second = (second << 17) | (second >>> 15);
  }
  for (; at < end; at += 1) {
    first = Math.imul(first ^ view.getUint8(at), FIRST);
    first ^= first >>> 15;
  }
  return (first ^ Math.imul(second, FIRST)) >>> 0;
}
