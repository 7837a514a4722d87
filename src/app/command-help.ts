/** Formats command-line help in two columns: terms on the left, meanings on the right, wrapped to the width of a terminal. */

export type Term = readonly [term: string, meaning: string];

const WIDTH = 120;

/** `left` is the width of the term column. A wider term gets a line of its own. */
export function columns(terms: readonly Term[], left: number): string {
  return terms.flatMap(([term, meaning]) => linesOf(term, meaning, left)).join('\n');
}

function linesOf(term: string, meaning: string, left: number): readonly string[] {
  const texts = wrapped(meaning, WIDTH - left);
  const isWide = term !== '' && term.length > left - 2;
  const first = isWide ? [term] : [term.padEnd(left) + (texts[0] ?? '')];
  return [...first, ...texts.slice(isWide ? 0 : 1).map((text) => ' '.repeat(left) + text)];
}

/** Wraps at word boundaries. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
