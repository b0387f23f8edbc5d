import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { deadline } from '../../../src/client/interceptors/deadline.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test.each([
  ['without a signal', undefined],
  ['with a signal', new AbortController().signal],
])(
  'a request that is not answered ends at its deadline, also if garbage is collected, %s',
  async (_, signal) => {
    const collecting = setInterval(collectGarbage, 10);
    const silent = deadline(100)(
      (request) =>
        new Promise((_, reject) =>
          request.signal!.addEventListener('abort', () => reject(request.signal!.reason), { once: true }),
        ),
    );
    try {
      const asked = silent({ method: 'GET', path: '/', headers: {}, repeatable: true, signal });
      await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
    } finally {
      clearInterval(collecting);
    }
  },
);

test('a signal that fires ends a request before its deadline, with its reason', async () => {
  const stop = new AbortController();
  const silent = deadline(100_000)(
    ({ signal }) =>
      new Promise((_, reject) => {
        if (signal!.aborted) reject(signal!.reason);
        signal!.addEventListener('abort', () => reject(signal!.reason), { once: true });
      }),
  );
  const request = { method: 'GET', path: '/', headers: {}, repeatable: true, signal: stop.signal };
  const asked = silent(request);
  stop.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
  await expect(silent(request)).rejects.toThrow('stopped');
});
