/** The generated part of a page, between two marks; people write the rest of the page. */
const BEGIN = '<!-- Generated from the declarations: npm run contract renews what follows. -->\n';
const END = '<!-- The end of what is generated. -->\n';

/** The page with its generated part updated. */
export function withGenerated(page: string, generated: string): string {
  const [before, rest] = cutAt(page, BEGIN);
  const [, after] = cutAt(rest, END);
  return `${before}${BEGIN}\n${generated}\n\n${END}${after}`;
}

function cutAt(text: string, mark: string): readonly [string, string] {
  const place = text.indexOf(mark);
  if (place < 0) throw new Error(`a page lacks the mark ${mark.trim()}`);
  return [text.slice(0, place), text.slice(place + mark.length)];
}
