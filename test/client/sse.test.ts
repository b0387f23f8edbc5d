import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readServerSentEvents, type ServerSentEvent } from '../../src/client/sse.ts';

async function read(text: string, cuts: readonly number[] = []): Promise<ServerSentEvent[]> {
  const bytes = Buffer.from(text);
  const bounds = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  async function* chunks() {
    for (let i = 1; i < bounds.length; i++) yield bytes.subarray(bounds[i - 1], bounds[i]);
  }
  const all: ServerSentEvent[] = [];
  for await (const message of readServerSentEvents(chunks())) all.push(message);
  return all;
}

const TEXT =
  'retry: 1500\nid: 7\n\n: a comment\nid: 8\nevent: event\ndata: {"a":"ü"}\n\ndata: one\r\ndata:two\r\n\r\ndata\n\nid: 9\ndata: unfinished';

it('parses IDs, names, data of several lines and the reconnection time', async () => {
  expect(await read(TEXT)).toEqual([
    { id: '7', event: 'message', data: undefined, retry: 1500 },
    { id: '8', event: 'event', data: '{"a":"ü"}', retry: undefined },
    { id: '8', event: 'message', data: 'one\ntwo', retry: undefined },
    { id: '8', event: 'message', data: '', retry: undefined },
  ]);
});

it('parses the same messages for any chunk boundaries', async () => {
  const whole = await read(TEXT);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (cuts) => {
      expect(await read(TEXT, cuts)).toEqual(whole);
    }),
  );
});

it('fails on a line that does not end', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1024 * 1024, 'x');
  }
  const reading = (async () => {
    for await (const _ of readServerSentEvents(endless()));
  })();
  await expect(reading).rejects.toThrow(RangeError);
});

it('fails on a message with endless empty lines of data', async () => {
  async function* endless() {
    for (let chunks = 0; chunks < 64; chunks++) yield Buffer.from('data:\n'.repeat(64 * 1024));
  }
  const reading = (async () => {
    for await (const _ of readServerSentEvents(endless()));
  })();
  await expect(reading).rejects.toThrow(RangeError);
});

it('accepts any bytes', async () => {
  const line = fc.oneof(
    fc
      .constantFrom('id', 'retry', 'data', 'event', ':', '\0', '')
      .chain((name) =>
        fc.oneof(fc.string({ unit: 'binary' }), fc.bigInt().map(String)).map((value) => `${name}: ${value}`),
      ),
    fc.constantFrom('', '', 'retry: 99999999999999999999', `id: ${'9'.repeat(5000)}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
      for (const { id, retry } of await read(`${lines.join('\n')}\n\n`)) {
        expect(id.length).toBeLessThanOrEqual(1024);
        expect(retry === undefined || Number.isSafeInteger(retry)).toBe(true);
      }
    }),
  );
});
