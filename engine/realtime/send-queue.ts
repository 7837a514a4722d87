/**
 * The send queue of one client, in order. Replays go out in pieces, each after the system has taken the one before: this shows
 * whether the client reads, and frees the memory of sent bytes. Later writes wait behind them.
 */
import type { Socket } from 'node:net';

/** Whole frames, so that frames of `ws` may go between; a larger frame is a piece of its own. */
const PIECE_BYTES = 131_072;

interface Piece {
  readonly bytes: Buffer;
  /** Whether the next piece waits until this one is written. */
  readonly awaitsDrain: boolean;
  readonly onWritten: (() => void) | undefined;
}

export class SendQueue {
  readonly #socket: Socket;
  readonly #onDrained: () => void;
  readonly #onError: (error: unknown) => void;
  #waiting: Piece[] = [];
  #waitingBytes = 0;
  #awaitsDrain = false;

  /**
   * `onDrained` is called when all or nearly all written bytes are on their way. `onError` receives what it or an `onWritten`
   * throws.
   */
  constructor(socket: Socket, onDrained: () => void, onError: (error: unknown) => void) {
    this.#socket = socket;
    this.#onDrained = onDrained;
    this.#onError = onError;
    socket.on('drain', () => this.#orError(() => this.#notifyDrained()));
  }

  get isDrained(): boolean {
    return this.#waiting.length === 0 && !this.#socket.writableNeedDrain;
  }

  /** Bytes that the system has not taken. */
  get queuedBytes(): number {
    return this.#waitingBytes + this.#socket.writableLength;
  }

  /** The part of them that {@link drop} frees. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Bytes that the system has taken so far. */
  get writtenBytes(): number {
    // `bytesWritten` includes what the socket still buffers.
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  /** `onWritten` is called later, also if the socket fails. */
  write(bytes: Buffer, onWritten?: () => void): void {
    if (this.#awaitsDrain) this.#wait({ bytes, awaitsDrain: false, onWritten });
    else this.#put(bytes, onWritten);
  }

  /** Writes piece by piece; `onWritten` is called with the size of each piece. */
  writeFrames(frames: readonly Buffer[], onWritten: (bytes: number) => void): void {
    for (const bytes of piecesOf(frames)) this.#wait({ bytes, awaitsDrain: true, onWritten: () => onWritten(bytes.length) });
    if (!this.#awaitsDrain) this.#continue();
  }

  /** Corks the socket, so that all writes of `write` go together. */
  together(write: () => void): void {
    this.#socket.cork();
    write();
    this.#socket.uncork();
  }

  /** Drops waiting pieces. Nothing may be written afterwards. */
  drop(): void {
    const dropped = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    for (const { onWritten } of dropped) onWritten?.();
  }

  #wait(piece: Piece): void {
    this.#waiting.push(piece);
    this.#waitingBytes += piece.bytes.length;
  }

  #continue(): void {
    this.#awaitsDrain = false;
    while (!this.#awaitsDrain) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#waitingBytes -= next.bytes.length;
      this.#awaitsDrain = next.awaitsDrain;
      this.#put(next.bytes, next.awaitsDrain ? () => this.#onPieceWritten(next) : next.onWritten);
    }
  }

  #put(bytes: Buffer, onWritten: (() => void) | undefined): void {
    this.#socket.write(bytes, onWritten && (() => this.#orError(onWritten)));
  }

  #onPieceWritten({ onWritten }: Piece): void {
    onWritten?.();
    this.#continue();
    // The socket's drain event came while more pieces waited.
    this.#notifyDrained();
  }

  #notifyDrained(): void {
    if (this.isDrained) this.#onDrained();
  }

  /** For socket events: nothing else would catch their exceptions. */
  #orError(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#onError(error);
    }
  }
}

function* piecesOf(frames: readonly Buffer[]): Generator<Buffer> {
  let piece: Buffer[] = [];
  let length = 0;
  for (const frame of frames) {
    if (length > 0 && length + frame.length > PIECE_BYTES) {
      yield Buffer.concat(piece);
      piece = [];
      length = 0;
    }
    piece.push(frame);
    length += frame.length;
  }
  if (length > 0) yield Buffer.concat(piece);
}
