import ipaddr from 'ipaddr.js';

/** What a webhook may reach beside the public internet. */
export interface AddressPolicy {
  /** `serve --allow-loopback-webhooks`: 127.0.0.0/8 and ::1, and plain http. */
  readonly allowLoopback: boolean;
}

/** Public by allocation, yet answered by the machine's own cloud: Azure's wire server. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);

/**
 * Why a webhook must not connect to this address, in words, or null where it may.
 * `address` is a literal as `net.isIP` accepts it, without brackets. Everything that is no globally routable unicast
 * address is refused (IANA special-purpose registries, RFC 6890), and so is every IPv6 form that carries an IPv4
 * address to somewhere else: mapped, translated (RFC 6052, RFC 8215), 6to4, Teredo, ISATAP.
 */
export function refuseAddress(address: string, policy: AddressPolicy): string | null {
  const bare = address.replace(/%.*$/, '');
  if (!ipaddr.isValid(bare)) return 'is not an IP address';
  const parsed = ipaddr.parse(bare);
  const range = parsed.range();
  if (range === 'loopback') return policy.allowLoopback ? null : 'is a loopback address';
  if (range === 'ipv4Mapped' && parsed instanceof ipaddr.IPv6) {
    const inner = parsed.toIPv4Address();
    const admitted = policy.allowLoopback && inner.range() === 'loopback';
    return admitted ? null : 'is an IPv4 address written as IPv6';
  }
  if (range !== 'unicast') return `is a special address (${range})`;
  if (parsed instanceof ipaddr.IPv6) {
    // Only 2000::/3 is global unicast today (RFC 4291, IANA); what lies outside is unallocated or old, such as ::a.b.c.d.
    if (parsed.parts[0]! >> 13 !== 1) return 'is outside the global unicast range';
    if (isIsatap(parsed.parts)) return 'is a special address (isatap)';
  }
  if (PLATFORM_ADDRESSES.has(parsed.toString())) return 'is an address of a cloud platform';
  return null;
}

/** RFC 5214: an interface identifier of 0000:5efe or 0200:5efe tunnels to the IPv4 address in the last 32 bits. */
function isIsatap(parts: readonly number[]): boolean {
  return (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe;
}
