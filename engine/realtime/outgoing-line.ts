/**
 * What goes out to one client, in order. What is large goes piece by piece, each once the system has taken the one before: so it shows
 * whether its reader takes any of it, and what has gone takes up no memory. Whatever comes later waits behind it.
 */
import type { Socket } from 'node:net';

/** Whole frames, so that those that `ws` itself writes may go between; a larger frame is a piece of its own. */
const PIECE_BYTES = 131_072;

interface Piece {
  readonly bytes: Buffer;
  /** Whether what follows waits until it is taken. */
  readonly isAwaited: boolean;
  readonly onTaken: (() => void) | undefined;
}

export class OutgoingLine {
  readonly #line: Socket;
  readonly #onDrained: () => void;
  readonly #onError: (error: unknown) => void;
  #waiting: Piece[] = [];
  #waitingBytes = 0;
  #isAwaiting = false;

  /** `onDrained` is called when what was written is on its way, or nearly all of it. `onError` takes what that or an `onTaken` throws. */
  constructor(line: Socket, onDrained: () => void, onError: (error: unknown) => void) {
    this.#line = line;
    this.#onDrained = onDrained;
    this.#onError = onError;
    line.on('drain', () => this.#orError(() => this.#tellDrained()));
  }

  get isDrained(): boolean {
    return this.#waiting.length === 0 && !this.#line.writableNeedDrain;
  }

  /** What the system has not taken. */
  get queuedBytes(): number {
    return this.#waitingBytes + this.#line.writableLength;
  }

  /** Of that, what {@link drop} takes back. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** What it has taken so far. */
  get takenBytes(): number {
    // What was written counts what the line holds still.
    return this.#line.bytesWritten - this.#line.writableLength;
  }

  /** `onTaken` is heard later, also where the line breaks. */
  write(bytes: Buffer, onTaken?: () => void): void {
    if (this.#isAwaiting) this.#wait({ bytes, isAwaited: false, onTaken });
    else this.#put(bytes, onTaken);
  }

  /** Likewise, piece by piece: `onTaken` hears of each how much it was. */
  writeFrames(frames: readonly Buffer[], onTaken: (bytes: number) => void): void {
    for (const bytes of piecesOf(frames)) this.#wait({ bytes, isAwaited: true, onTaken: () => onTaken(bytes.length) });
    if (!this.#isAwaiting) this.#goOn();
  }

  /** What is written in between goes together. */
  together(write: () => void): void {
    this.#line.cork();
    write();
    this.#line.uncork();
  }

  /** What waits is let go of: nothing may follow. */
  drop(): void {
    const dropped = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    for (const { onTaken } of dropped) onTaken?.();
  }

  #wait(piece: Piece): void {
    this.#waiting.push(piece);
    this.#waitingBytes += piece.bytes.length;
  }

  #goOn(): void {
    this.#isAwaiting = false;
    while (!this.#isAwaiting) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#waitingBytes -= next.bytes.length;
      this.#isAwaiting = next.isAwaited;
      this.#put(next.bytes, next.isAwaited ? () => this.#taken(next) : next.onTaken);
    }
  }

  #put(bytes: Buffer, onTaken: (() => void) | undefined): void {
    this.#line.write(bytes, onTaken && (() => this.#orError(onTaken)));
  }

  #taken({ onTaken }: Piece): void {
    onTaken?.();
    this.#goOn();
    // The line said so of the piece, while more waited.
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.isDrained) this.#onDrained();
  }

  /** For what an event of the line runs: nothing else would catch what it throws. */
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
