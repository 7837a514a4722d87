/** Networks as texts: an IPv4 address, or the first four groups of an IPv6 address. */

/** The /48 of an IPv6 network, which one holder may divide into 65,536 networks; any other text is its own site. */
export function siteOf(network: string): string {
  return network.split(':').slice(0, 3).join(':');
}
