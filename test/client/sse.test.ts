import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readServerSentEvents, type ServerSentEvent } from '../../src/client/sse.ts';

async function read(text: string, cuts: readonly number[] = []): Promise<ServerSentEvent[]> {
  const bytes = Buffer.from(text);
  const borders = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  async function* chunks() {
    for (let i = 1; i < borders.length; i++) yield bytes.subarray(borders[i - 1], borders[i]);
  }
  const all: ServerSentEvent[] = [];
  for await (const message of readServerSentEvents(chunks())) all.push(message);
  return all;
}

const TEXT =
  'retry: 1500\nid: 7\n\n: a comment\nid: 8\nevent: event\ndata: {"a":"ü"}\n\ndata: one\r\ndata:two\r\n\r\ndata\n\nid: 9\ndata: unfinished';

it('reads ids, names, data over several lines and the reconnection time', async () => {
  expect(await read(TEXT)).toEqual([
    { id: '7', event: 'message', data: undefined, retry: 1500 },
    { id: '8', event: 'event', data: '{"a":"ü"}', retry: undefined },
    { id: '8', event: 'message', data: 'one\ntwo', retry: undefined },
    { id: '8', event: 'message', data: '', retry: undefined },
  ]);
});

it('reads the same however the bytes are cut', async () => {
  const whole = await read(TEXT);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (cuts) => {
      expect(await read(TEXT, cuts)).toEqual(whole);
    }),
  );
});

it('gives up on a message that never ends', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1024 * 1024, 'x');
  }
  const reading = (async () => {
    for await (const _ of readServerSentEvents(endless()));
  })();
  await expect(reading).rejects.toThrow(RangeError);
});
