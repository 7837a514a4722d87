/** Help on the command line: terms on the left, what they mean on the right, in lines that a terminal holds. */

export type Term = readonly [term: string, meaning: string];

const WIDTH = 120;

/** `left` is how wide the terms are; one that is wider has a line of its own. */
export function columns(terms: readonly Term[], left: number): string {
  return terms.flatMap(([term, meaning]) => linesOf(term, meaning, left)).join('\n');
}

function linesOf(term: string, meaning: string, left: number): readonly string[] {
  const texts = wrapped(meaning, WIDTH - left);
  const isWide = term !== '' && term.length > left - 2;
  const first = isWide ? [term] : [term.padEnd(left) + (texts[0] ?? '')];
  return [...first, ...texts.slice(isWide ? 0 : 1).map((text) => ' '.repeat(left) + text)];
}

/** Broken between words. */
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
