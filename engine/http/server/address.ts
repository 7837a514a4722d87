/** The path of a request URL as the router reads it: the URL may be absolute, and its characters encoded. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]+/i, '').split(/[?#]/, 1);
  return (path || '/').split('/').map(decoded).join('/');
}

/** A segment with an invalid encoding matches no route, and is left unchanged. */
function decoded(segment: string): string {
  try {
    return decodeURI(segment);
  } catch {
    return segment;
  }
}
