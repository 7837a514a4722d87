/**
 * The checksum of a record. Every step is reversible: a change within one word always shows if the rest is unchanged. The group's
 * SHA-256 protects the bytes; the checksum locates the damaged record of a group.
 */

const FIRST = 0x5bd1e995;
const SECOND = 0x1b873593;
const THIRD = 0x85ebca6b;
const FOURTH = 0x9e3779b1;

/** 32 bits over the bytes of a view, from `start` up to `end`. Processes a word at a time, in four independent chains. */
export function checksumOf(view: DataView, start: number, end: number): number {
  let first = end - start;
  let second = FIRST;
  let third = SECOND;
  let fourth = first;
  let at = start;
  for (; at + 16 <= end; at += 16) {
    first = Math.imul(first ^ view.getInt32(at, true), FIRST);
    second = Math.imul(second ^ view.getInt32(at + 4, true), SECOND);
    third = Math.imul(third ^ view.getInt32(at + 8, true), THIRD);
    fourth = Math.imul(fourth ^ view.getInt32(at + 12, true), FOURTH);
    first = (first << 13) | (first >>> 19);
    second = (second << 17) | (second >>> 15);
    third = (third << 11) | (third >>> 21);
    fourth = (fourth << 19) | (fourth >>> 13);
  }
  for (; at < end; at += 1) {
    first = Math.imul(first ^ view.getUint8(at), FIRST);
    first ^= first >>> 15;
  }
  // Each chain gets a factor of its own, so that equal changes in two of them do not cancel out.
  return (first ^ Math.imul(second, FIRST) ^ Math.imul(third, SECOND) ^ Math.imul(fourth, THIRD)) >>> 0;
}
