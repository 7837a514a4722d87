/** Why a script is refused: at which place, for which reason, and what to write instead. */

/** A place in the source. Both count from 1; the column counts UTF-16 units. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

export interface ScriptRefusal extends SourcePlace {
  readonly reason: string;
  readonly remedy: string;
}

/** Ends reading where the rest of the source has no clear meaning. */
export class SyntaxFault extends Error {
  readonly refusal: ScriptRefusal;

  constructor(place: SourcePlace, reason: string, remedy: string) {
    super(reason);
    this.refusal = { line: place.line, column: place.column, reason, remedy };
  }
}

/** A piece of the source in a message: one line, at most 60 characters. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${Array.from(line).slice(0, 57).join('')}…` : line;
}
