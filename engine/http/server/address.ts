/** Where an address leads, as the router reads it: it may be whole, and its letters encoded. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]+/i, '').split(/[?#]/, 1);
  return (path || '/').split('/').map(decoded).join('/');
}

/** A segment that is not validly encoded matches no route, and stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURI(segment);
  } catch {
    return segment;
  }
}
