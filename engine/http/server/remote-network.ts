/** The networks and sites that limits are counted by. */

/** The form of IPv4 addresses on dual-stack sockets. */
const MAPPED_IPV4 = /^::ffff:([0-9.]+)$/;

/**
 * Returns an IPv4 address itself, and the /64 of an IPv6 address, which is one subscriber's. All spellings of an address result
 * in the same network: capitals, leading zeros, and IPv4 as `::ffff:192.0.2.7` or `::ffff:c000:207`. `address` is valid (`isIP`),
 * or empty if the connection has closed.
 */
export function remoteNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const groups = groupsOf(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  if (f === 0xffff && a === 0 && b === 0 && c === 0 && d === 0 && e === 0) return `${g >> 8}.${g & 0xff}.${h >> 8}.${h & 0xff}`;
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}`;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail = ''] = address.split('%', 1)[0]!.split('::');
  const [first, last] = [groupsIn(head), groupsIn(tail)];
  while (first.length + last.length < 8) first.push(0);
  return [...first, ...last];
}

function groupsIn(text: string): number[] {
  const groups: number[] = [];
  for (const group of text === '' ? [] : text.split(':')) {
    if (group.includes('.')) {
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      groups.push(a * 256 + b, c * 256 + d);
    } else groups.push(Number.parseInt(group, 16));
  }
  return groups;
}
