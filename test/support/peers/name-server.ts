import { createSocket } from 'node:dgram';
import { type AddressInfo, isIPv6 } from 'node:net';

export interface NameServer {
  /** In the format of `dns.setServers`. */
  readonly address: string;
  /** The queried name of each query. */
  readonly queried: string[];
  close(): Promise<void>;
}

/** One record of an answer: addresses, and CNAMEs as `name -> target`. */
type NameRecord =
  | { readonly name?: string; readonly address: string }
  | { readonly name: string; readonly target: string };

/**
 * An answer: addresses of the name (none: the name does not exist), records, or an error code of RFC 1035 (2 is
 * SERVFAIL, 5 is REFUSED).
 */
export type NameAnswer = readonly string[] | { readonly records: NameRecord[] } | { readonly code: number };

const A = 1;
const CNAME = 5;
const AAAA = 28;
const NXDOMAIN = 3;

/** Starts a minimal name server (RFC 1035) on UDP at 127.0.0.1, with a TTL of 0; undefined sends no answer. */
export async function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA') => NameAnswer | undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const queried: string[] = [];
  socket.on('message', (query, from) => {
    const { name, type, end } = question(query);
    queried.push(name);
    const answered = answer(name, type === AAAA ? 'AAAA' : 'A');
    if (answered === undefined) return;
    const { code, records } = reply(answered, type);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt16BE(0, 8);
    header.writeUInt16BE(0, 10);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    queried,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function reply(answer: NameAnswer, type: number): { code: number; records: Buffer[] } {
  if ('code' in answer) return { code: answer.code, records: [] };
  if ('records' in answer) return { code: 0, records: answer.records.map(encode) };
  const fitting = answer.filter((address) => (isIPv6(address) ? AAAA : A) === type);
  return { code: answer.length === 0 ? NXDOMAIN : 0, records: fitting.map((address) => encode({ address })) };
}

function encode(record: NameRecord): Buffer {
  // A record without a name refers to the name of the query, at byte 12.
  const owner = record.name === undefined ? Buffer.from([0xc0, 12]) : encodeName(record.name);
  const [type, data] =
    'target' in record
      ? [CNAME, encodeName(record.target)]
      : isIPv6(record.address)
        ? [AAAA, sixteenBytes(record.address)]
        : [A, Buffer.from(record.address.split('.').map(Number))];
  return Buffer.concat([owner, Buffer.from([0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
}

function encodeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function sixteenBytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const zeros = Array<number>(8 - words(head).length - words(tail).length).fill(0);
  return Buffer.from([...words(head), ...zeros, ...words(tail)].flatMap((word) => [word >> 8, word & 0xff]));
}

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}
