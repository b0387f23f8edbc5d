/** Copies one database into another, freezing it at the end, and says when it begins. Started and killed by tests: `killable`. */
import { systemClock } from '../../../src/kit/clock.ts';
import { copyStore } from '../../../src/service/copy/copy.ts';
import { connectStore } from '../../../src/service/platform/open.ts';

const { from, to } = JSON.parse(process.argv[2]!) as { from: string; to: string };
const [source, target] = [await connectStore(from, systemClock), await connectStore(to, systemClock)];
console.log('{}');
await copyStore(source, target, {
  workspaces: [],
  freeze: true,
  opens: true,
  clock: systemClock,
  signal: new AbortController().signal,
});
await source.close();
await target.close();
