/**
 * The client address of a request behind proxies: the address that the outermost trusted proxy saw, from `X-Forwarded-For`.
 * Entries of others are ignored.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** An entry of a proxy's list: an address with or without a port. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+)$/;

export class TrustedProxies {
  readonly #networks = new BlockList();
  readonly #trustsNone: boolean;

  /** Addresses, and networks as CIDRs. Throws RangeError if one is neither ({@link isNetwork}). */
  constructor(networks: readonly string[]) {
    this.#trustsNone = networks.length === 0;
    for (const network of networks) {
      if (!isNetwork(network)) throw new RangeError(`${network} is neither an address nor a network`);
      const [address = '', length] = network.split('/');
      const family = familyOf(address);
      if (length === undefined) this.#networks.addAddress(address, family);
      else this.#networks.addSubnet(address, Number(length), family);
    }
  }

  has(address: string): boolean {
    if (this.#trustsNone || isIP(address) === 0) return false;
    return this.#networks.check(address.split('%', 1)[0]!, familyOf(address));
  }

  /** Proxies append the address that they saw: reads the list from its end, as long as the writer of an entry is trusted. */
  clientOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    let address = socket.remoteAddress ?? '';
    if (!this.has(address)) return address;
    const seen = String(headers['x-forwarded-for'] ?? '').split(',');
    for (let place = seen.length - 1; place >= 0 && this.has(address); place -= 1) {
      const before = addressIn(seen[place]!);
      // An unknown client counts as the proxy that it came through.
      if (before === undefined) return address;
      address = before;
    }
    return address;
  }
}

export function isNetwork(text: string): boolean {
  const [, address = '', length] = /^([^/%]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? [];
  return isIP(address) !== 0 && (length === undefined || Number(length) <= (isIP(address) === 4 ? 32 : 128));
}

function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  const [, bracketed, bare] = WITH_PORT.exec(trimmed) ?? [];
  const address = bracketed ?? bare ?? trimmed;
  return isIP(address) === 0 ? undefined : address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
