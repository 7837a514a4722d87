/** A column of numbers that grows piece by piece: growing copies nothing, so that nobody waits for it, however long it is. */

const PIECE_BITS = 14;
const PIECE_LENGTH = 1 << PIECE_BITS;

export class GrowingColumn<Piece extends Uint32Array | Float64Array> {
  readonly #makePiece: (length: number) => Piece;
  readonly #pieces: Piece[] = [];

  constructor(makePiece: (length: number) => Piece) {
    this.#makePiece = makePiece;
  }

  /** 0 where nothing was put. */
  get(index: number): number {
    return this.#pieces[index >>> PIECE_BITS]?.[index & (PIECE_LENGTH - 1)] ?? 0;
  }

  /** At most one piece behind the last. */
  set(index: number, value: number): void {
    this.#pieces[index >>> PIECE_BITS] ??= this.#makePiece(PIECE_LENGTH);
    this.#pieces[index >>> PIECE_BITS]![index & (PIECE_LENGTH - 1)] = value;
  }
}
