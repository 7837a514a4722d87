/**
 * The form of an ES256 signature: the DER sequence of two positive integers, in its only encoding. The library's parser accepts
 * others, and bytes after it.
 */
const SEQUENCE = 0x30;
const INTEGER = 0x02;

export function isDerSignature(bytes: Buffer): boolean {
  if (bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) return false;
  const second = endOfInteger(bytes, 2);
  return second !== undefined && endOfInteger(bytes, second) === bytes.length;
}

/** Where the integer that starts here ends; `undefined` if none starts here. */
function endOfInteger(bytes: Buffer, start: number): number | undefined {
  const [tag, length, first, next] = [bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3]];
  if (tag !== INTEGER || length === undefined || first === undefined || length < 1 || length > 33) return undefined;
  const isPositive = first < 0x80;
  const isShortest = first !== 0 || length === 1 || (next ?? 0) >= 0x80;
  return isPositive && isShortest ? start + 2 + length : undefined;
}
