import { hostname } from 'node:os';
import { newId } from '../../kit/id.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { type NodeProcess, nodes } from './nodes.ts';

/** Interval at which a process says that it is there. */
const RECORD_MS = 15_000;

export interface NodeRecord extends Worker {
  /** What is listed of this process. */
  self(): NodeProcess;
  /** How long it has run, in ms. */
  uptimeMs(): number;
}

/**
 * Keeps this process in the list of nodes on the store, and removes it when it stops. With `late`, only once it has run
 * for 15 s: the service of `local` starts with every command. A write every 15 s that waits for no disk.
 */
export function startNodeRecord(platform: WorkerPlatform, version: string | null, late: boolean): NodeRecord {
  const { store } = platform;
  const id = newId('node');
  const started = performance.now();
  const host = hostname();
  const self = () => ({ id, host, pid: process.pid, version, roles: store.roles() });
  const uptimeMs = () => performance.now() - started;
  let rounds = 0;
  let recorded = false;
  const recorder = worker(platform, {
    name: 'the list of nodes',
    pause: RECORD_MS,
    work: async () => {
      if (rounds++ === 0 && late) return false;
      recorded = true;
      await store.write((tx) => nodes.seen(tx, self(), uptimeMs()), { durable: false, bulk: true });
      return false;
    },
    close: async () => {
      // Where the store does not answer, the node is removed later as one that is silent.
      if (recorded) await store.write((tx) => nodes.remove(tx, id), { durable: false }).catch(() => {});
    },
  });
  return { ...recorder, self, uptimeMs };
}
