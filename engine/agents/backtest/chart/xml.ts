/** Writes XML elements. Texts of scripts are data: markup is escaped, and what XML does not permit becomes a question mark. */

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters, halves of surrogate pairs and the two noncharacters that XML excludes. */
const EXCLUDED = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu;

export function escapeXml(text: string): string {
  return text.replace(EXCLUDED, '?').replace(/[&<>"]/g, (sign) => ESCAPES[sign]!);
}

/** An element with attributes in the given order. `content` is XML already. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ''): string {
  const written = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escapeXml(String(value))}"`);
  return content === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`;
}

/** A coordinate in pixels, to a tenth. */
export function pixels(value: number): string {
  return String(Math.round(value * 10) / 10);
}
