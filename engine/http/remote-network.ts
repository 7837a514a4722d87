/** Whom a remote address stands for, and what its networks have in common. */

/** Whom a remote address stands for: an IPv4 address for itself, an IPv6 address for its /64, which is one subscriber's. */
export function remoteNetwork(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address.replace('::ffff:', '');
  const [head = '', tail = ''] = address.split('%', 1)[0]?.split('::') ?? [];
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}

/** The /48 of an IPv6 network, which one holder may divide into 65,536 networks; an IPv4 address stands for itself. */
export function siteOf(network: string): string {
  return network.split(':').slice(0, 3).join(':');
}
