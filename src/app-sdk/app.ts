/** Tracks events and shows messages in a web page: `svc-cli/app` (docs/users/app-sdk.md). Depends on nothing. */
import type { App, AppOptions } from '../../types/app.d.mts';
import { Connection } from './connection.ts';
import { Display } from './display.ts';
import { Queue } from './queue.ts';
import { defineSlot } from './slot.ts';

/** Creates an app. Nothing is sent or stored before `start`. Throws TypeError if an option is missing. */
export function createApp(options: AppOptions): App {
  for (const name of ['baseUrl', 'workspace', 'key', 'user'] as const)
    if (!options[name]) throw new TypeError(`createApp needs ${name}`);
  if (!/^pk_/.test(options.key)) throw new TypeError('createApp needs a publishable key (pk_…)');
  const connection = new Connection(options);
  const queue = new Queue(connection, options);
  const display = new Display(connection, queue, options);
  let running = false;

  const onVisibility = () => {
    if (document.visibilityState === 'hidden') void queue.flush(true);
    else display.pollAll();
  };
  const onHide = () => void queue.flush(true);
  const onOnline = () => void queue.flush();

  return {
    start() {
      if (running) return;
      running = true;
      connection.open();
      queue.start();
      document.addEventListener('visibilitychange', onVisibility);
      addEventListener('pagehide', onHide);
      addEventListener('online', onOnline);
      defineSlot(display);
      display.start();
    },
    async stop({ forget = false } = {}) {
      if (!running) return;
      running = false;
      document.removeEventListener('visibilitychange', onVisibility);
      removeEventListener('pagehide', onHide);
      removeEventListener('online', onOnline);
      display.stop();
      const stopped = queue.stop(forget);
      connection.close();
      await stopped;
    },
    track: (name, properties) => queue.track(name, properties),
    flush: () => queue.flush(),
    show: ({ surface }) => display.show(surface),
    get dropped() {
      return queue.dropped;
    },
    get waiting() {
      return queue.waiting;
    },
  };
}
