import { systemClock } from '../../../src/kit/clock.ts';
import { Precedence } from '../../../src/service/runtime/precedence.ts';
import { connectStore } from '../../../src/service/store/open.ts';
import { cleanOnce } from '../../../src/service/workers/janitor.ts';

/** A process that removes the old events of a workspace, to be killed. Says when it has done some pieces. */
const { database, workspaceId, events, pieces } = JSON.parse(process.argv[2]!) as {
  database: string;
  workspaceId: string;
  /** How long they are kept, in ms. */
  events: number;
  pieces: number;
};
const retention = () => ({ events, decisions: null });
const store = await connectStore(database, systemClock);
const say = () => process.stdout.write('{"begun":true}\n');
if (pieces === 0) say();
await store.partitions?.keep('events', events);
for (
  let done = 1;
  (await cleanOnce({ store, precedence: new Precedence(), retention }, workspaceId)) > 0;
  done++
)
  if (done === pieces) say();
while (await store.shrink());
process.exit(0);
