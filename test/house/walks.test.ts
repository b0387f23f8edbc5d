import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/process/run-svc.ts';
import { filesIn, rowOf } from '../support/walk-rows.ts';

// Which files a request passes is measured by test/chaos/structure/walks.chaos.ts.
it('the walks in ARCHITECTURE.md list files that exist, and as many as they say', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const everywhere = filesIn(rowOf(text, 'each request'));
  for (const name of ['each request', 'track', 'decide', 'render', 'notify', 'webhook']) {
    const row = rowOf(text, name);
    const files = filesIn(row);
    expect(files.filter((file) => !existsSync(join(ROOT, 'src/service', file)))).toEqual([]);
    const all = name === 'each request' ? files.length : everywhere.length + files.length;
    expect(
      Number(row.split('|')[2]),
      `${name}: run npm run test:chaos -- test/chaos/structure/walks.chaos.ts`,
    ).toBe(all);
  }
});
