/** Writes event files for the import benchmarks as a stream, so that memory does not grow with them. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** Writes `count` events of about 150 bytes, one per line; where `every` is not 0, each so many is an `ordered`. */
export async function writeEvents(path: string, count: number, every = 0): Promise<void> {
  const out = createWriteStream(path);
  let text = '';
  for (let n = 0; n < count; n++) {
    const day = String(1 + (n % 28)).padStart(2, '0');
    const minute = String(n % 60).padStart(2, '0');
    text +=
      `{"userId":"user-${n % 50_000}","event":"${every > 0 && n % every === 0 ? 'ordered' : 'page_viewed'}","timestamp":"2026-01-${day}T12:${minute}:00Z",` +
      `"properties":{"page":"/products/${n}","price":${(n % 1000) / 100},"member":${n % 2 === 0},"ref":"mail"}}\n`;
    if (text.length > 1 << 20) {
      if (!out.write(text)) await once(out, 'drain');
      text = '';
    }
  }
  out.end(text);
  await once(out, 'close');
}
