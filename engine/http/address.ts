/** Where an address leads, as the router reads it: it may be whole, and its letters encoded. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]+/i, '').split(/[?#]/, 1);
  try {
    return decodeURI(path || '/');
  } catch {
    // It leads nowhere.
    return path;
  }
}
