import { systemClock } from '../../../src/kit/clock.ts';
import { REMOVALS_BY_AGE } from '../../../src/service/features.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import { Precedence } from '../../../src/service/platform/precedence.ts';
import { cleanOnce } from '../../../src/service/retention/janitor.ts';

/** A process that removes the old events of a workspace, to be killed. Says when it has done some pieces, or all. */
const { database, workspaceId, events, pieces, most } = JSON.parse(process.argv[2]!) as {
  database: string;
  workspaceId: string;
  /** How long they are kept, in ms. */
  events: number;
  pieces: number;
  /** After so many pieces it waits to be killed. */
  most?: number;
};
const retention = () => ({ events, decisions: null, notifications: null, eventIds: null, outcomes: null });
const store = await connectStore(database, systemClock);
let said = false;
const say = () => {
  if (!said) process.stdout.write('{"begun":true}\n');
  said = true;
};
if (pieces === 0) say();
await store.partitions?.keep('events', events);
for (
  let done = 1;
  (await cleanOnce({ store, precedence: new Precedence() }, retention, REMOVALS_BY_AGE, workspaceId)) > 0;
  done++
) {
  if (done === pieces) say();
  if (done === most) await new Promise(() => setInterval(() => {}, 60_000));
}
while (await store.shrink());
say();
process.exit(0);
