/**
 * WebSocket frames as bytes (RFC 6455, 5.2), rendered once for all sockets. Server frames are not masked, and without compression
 * a frame is header and payload, so they may go between the frames that `ws` itself writes.
 */
const TEXT_AND_FINAL = 0x81;
const PONG_AND_FINAL = 0x8a;
const TWO_BYTE_LENGTH = 126;
const EIGHT_BYTE_LENGTH = 127;
const MAX_TWO_BYTES = 65_535;

/** A complete text frame. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headBytes = length < TWO_BYTE_LENGTH ? 2 : length <= MAX_TWO_BYTES ? 4 : 10;
  const frame = Buffer.allocUnsafeSlow(headBytes + length);
  frame[0] = TEXT_AND_FINAL;
  if (headBytes === 2) frame[1] = length;
  if (headBytes === 4) {
    frame[1] = TWO_BYTE_LENGTH;
    frame.writeUInt16BE(length, 2);
  }
  if (headBytes === 10) {
    frame[1] = EIGHT_BYTE_LENGTH;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  frame.write(text, headBytes);
  return frame;
}

/** A pong with the data of the ping, of 125 bytes at most. */
export function pongFrame(data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([PONG_AND_FINAL, data.length]), data]);
}
