import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import { settings } from '../../../src/service/platform/store/settings.ts';
import { workspaces } from '../../../src/service/platform/store/workspaces.ts';
import { type Op, opsOf, type Size, WORKSPACE, WorldInStore } from './world.ts';

const DONE = 'goalsWorld';
/** What happens in one transaction. */
const TOGETHER = 20;

// Makes a world happen in a store, goes on where an earlier process was killed, and counts what is left.
const { database, seed, size } = JSON.parse(process.argv[2]!) as {
  database: string;
  seed: string;
  size: Size;
};
const store = await connectStore(database, systemClock);
const done = await store.write(async (tx) => {
  if (!(await workspaces.get(tx, WORKSPACE)))
    await createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'test' });
  return (await settings.get<number>(tx, DONE)) ?? 0;
});
console.log(JSON.stringify({ done }));
const world = new WorldInStore();
let at = 0;
let piece: Op[] = [];
let now = 0;
const flush = async () => {
  const ops = piece;
  piece = [];
  await store.write(
    async (tx) => {
      for (const op of ops) await world.apply(tx, op);
      await settings.set(tx, DONE, at);
    },
    { durable: false },
  );
};
for (const op of opsOf(seed, size)) {
  at++;
  now = op.now;
  if (at <= done) {
    world.skip(op);
    continue;
  }
  piece.push(op);
  if (piece.length === TOGETHER) await flush();
}
await flush();
for (let more = true; more; )
  more = await store.write((tx) => world.finish(tx, now + 86_400_000), { durable: false });
await store.close();
process.exit(0);
