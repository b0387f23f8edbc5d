import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Collects what nothing refers to any more. V8 lets long texts and buffers that were dropped grow to hundreds of megabytes
 * before it does so itself; it takes about 10 ms in a small heap.
 */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
