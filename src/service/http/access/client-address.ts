import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * The address from which a request comes, as limits count it: an IPv4 address, or the first 64 bits of an IPv6 one, which
 * one subscriber has to itself. Behind proxies it is the last entry of X-Forwarded-For that is no proxy of ours; what a
 * client wrote there itself lies before that entry and is not believed.
 */
export function addressOf(incoming: IncomingMessage, isProxy: IsProxy): string {
  const direct = plain(incoming.socket.remoteAddress ?? '');
  if (!isProxy(direct)) return network(direct);
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((entry) => plain(entry.trim()))
    .reverse();
  const client = forwarded.find((address) => !isProxy(address)) ?? direct;
  return isIP(client) === 0 ? network(direct) : network(client);
}

/** Whether an address is one of the proxies whose X-Forwarded-For is believed. */
export type IsProxy = (address: string) => boolean;

/** Recognises proxies by addresses and networks such as `10.0.0.0/8`. Throws RangeError with the entry. */
export function proxiesOf(entries: readonly string[]): IsProxy {
  if (entries.length === 0) return () => false;
  const list = new BlockList();
  for (const entry of entries) {
    const [, address = '', bits] = /^([0-9A-Fa-f.:]+?)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = isIP(address);
    const family = version === 6 ? 'ipv6' : 'ipv4';
    const most = version === 6 ? 128 : 32;
    if (version === 0 || Number(bits ?? most) > most) throw new RangeError(entry);
    list.addSubnet(address, Number(bits ?? most), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Removes the port, the brackets and the mapping of IPv4 into IPv6 (RFC 4291, 2.5.5.2). */
function plain(address: string): string {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1');
  return bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/** The /64 network of an IPv6 address; any other address as it is. */
function network(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
