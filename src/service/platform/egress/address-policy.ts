import ipaddr from 'ipaddr.js';

/** Which addresses a webhook may use besides public ones. */
export interface AddressPolicy {
  /** Allows 127.0.0.0/8, ::1 and plain http (`serve --allow-loopback-webhooks`). */
  readonly allowLoopback: boolean;
}

/** Publicly allocated addresses that a cloud platform answers inside the machine: Azure's wire server. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16']);

/**
 * Returns why a webhook must not connect to this address, as a predicate, or null if it may.
 * `address` is a literal as `net.isIP` accepts it, without brackets. Allows only globally routable unicast addresses
 * (IANA special-purpose registries, RFC 6890), and no IPv6 address that embeds an IPv4 address: mapped, translated
 * (RFC 6052, RFC 8215), 6to4, Teredo, ISATAP.
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
    // Global unicast is 2000::/3 (RFC 4291, IANA); the rest is unallocated or deprecated, such as ::a.b.c.d.
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
