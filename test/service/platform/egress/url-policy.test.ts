import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkWebhookUrl } from '../../../../src/service/platform/egress/url-policy.ts';
import { ADMITTED_HOSTS, REFUSED_HOSTS } from './literals.ts';

const strict = { allowLoopback: false };
const loopback = { allowLoopback: true };
const reasonOf = (url: string, policy = strict) => {
  const checked = checkWebhookUrl(url, policy);
  return checked.ok ? null : checked.reason;
};

describe('checkWebhookUrl', () => {
  it('is tested with at least 80 refused forms', () => {
    expect(new Set(REFUSED_HOSTS).size).toBeGreaterThanOrEqual(80);
  });

  it.each(REFUSED_HOSTS)('refuses https://%s', (host) => {
    expect(reasonOf(`https://${host}/hook`)).toMatch(/is |names /);
    expect(reasonOf(`https://${host}:8443/hook?a=b`)).not.toBeNull();
  });

  it.each(ADMITTED_HOSTS)('allows https://%s', (host) => {
    expect(reasonOf(`https://${host}/hook`)).toBeNull();
  });

  it('refuses invalid URLs, other schemes than https, and user information', () => {
    expect(reasonOf('http://example.com/')).toBe('must be an https URL');
    expect(reasonOf('ftp://example.com/')).toBe('must be an https URL');
    expect(reasonOf('file:///etc/passwd')).toBe('must be an https URL');
    expect(reasonOf('https://user@example.com/')).toBe('must not contain user information');
    expect(reasonOf('https://:pw@example.com/')).toBe('must not contain user information');
    expect(reasonOf('example.com/hook')).toBe('is not a URL');
    expect(reasonOf('https://')).toBe('is not a URL');
  });

  it('keeps path and query and removes the fragment', () => {
    expect(checkWebhookUrl('https://Example.com/a?b=c#d', strict)).toEqual({
      ok: true,
      url: 'https://example.com/a?b=c',
    });
  });

  it('allows http and loopback, but no other private address, if loopback is allowed', () => {
    for (const url of ['http://127.0.0.1:9/', 'http://localhost:9/', 'https://[::1]/', 'http://example.com/'])
      expect(reasonOf(url, loopback)).toBeNull();
    for (const url of [
      'http://10.0.0.1/',
      'http://169.254.169.254/',
      'http://[::ffff:10.0.0.1]/',
      'http://a.local/',
    ])
      expect(reasonOf(url, loopback)).not.toBeNull();
  });

  it('refuses 10,000 generated spellings of special addresses', () => {
    let tried = 0;
    fc.assert(
      fc.property(specialIpv4, spelling, (address, spell) => {
        tried += 1;
        const host = spell(address);
        expect(reasonOf(`https://${host}/`), host).not.toBeNull();
      }),
      { numRuns: 10_000 },
    );
    expect(tried).toBe(10_000);
  });
});

type Octets = [number, number, number, number];
const octet = fc.integer({ min: 0, max: 255 });
const specialIpv4: fc.Arbitrary<Octets> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
);

const number = (o: Octets) => ((o[0] * 256 + o[1]) * 256 + o[2]) * 256 + o[3];
const wide = (text: string) =>
  text.replace(/[0-9a-fx]/g, (c) => String.fromCodePoint(c.codePointAt(0)! + 0xfee0));
const hex16 = (a: number, b: number) => (a * 256 + b).toString(16);
const tail = (o: Octets) => `${hex16(o[0], o[1])}:${hex16(o[2], o[3])}`;
const radix = (n: number, pick: number) =>
  [String(n), `0x${n.toString(16)}`, `0${n.toString(8)}`, `0X${n.toString(16).toUpperCase()}`][pick % 4]!;

const spelling: fc.Arbitrary<(o: Octets) => string> = fc.oneof(
  fc.constant((o: Octets) => o.join('.')),
  fc.constant((o: Octets) => String(number(o))),
  fc.constant((o: Octets) => `0x${number(o).toString(16)}`),
  fc.constant((o: Octets) => `0${number(o).toString(8)}`),
  fc.constant((o: Octets) => wide(o.join('.'))),
  fc.constant((o: Octets) => wide(`0x${number(o).toString(16)}`)),
  fc.constant((o: Octets) => `${o[0]}.${(o[1] * 256 + o[2]) * 256 + o[3]}`),
  fc.constant((o: Octets) => `${o[0]}.${o[1]}.${o[2] * 256 + o[3]}`),
  fc
    .tuple(octet, octet, octet, octet)
    .map((picks) => (o: Octets) => o.map((n, i) => radix(n, picks[i]!)).join('.')),
  fc.constantFrom('.', '。', '．', '｡').map((dot) => (o: Octets) => o.join(dot)),
  fc
    .constantFrom('::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2606:4700::5efe:', 'fe80::5efe:')
    .chain((prefix) =>
      fc.constantFrom(
        (o: Octets) => `[${prefix}${o.join('.')}]`,
        (o: Octets) => `[${prefix}${tail(o)}]`,
      ),
    ),
  fc.constant((o: Octets) => `[2002:${tail(o)}::1]`),
  fc.constant((o: Octets) => `[2001:0:${tail(o)}::1]`),
);
