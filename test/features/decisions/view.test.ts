import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Output } from '../../../src/cli/terminal/output.ts';
import { render } from '../../../src/cli/terminal/text.ts';
import type { World } from '../../../src/cli/terminal/world.ts';
import { showLoggedDecision } from '../../../src/features/decisions/view.ts';

const shown = (contentId: string) => {
  const stream = () => Object.assign(new PassThrough(), { isTTY: false });
  const world = { env: {}, stdin: stream(), stdout: stream(), stderr: stream() } as unknown as World;
  const explanation = { winner: 'card', runnerUp: 'trip', effects: [], change: null };
  const candidates = ['card', 'trip'].map((id) => ({ contentId: id, propensity: 0.5, ranking: 0.5 }));
  const out = new Output(world, { json: false, quiet: false });
  return render(showLoggedDecision({ decisionId: 'dec_1', contentId, explanation, candidates }, out), false);
};

it('explains what was chosen, and says of another than the winner that it was tried', () => {
  expect(shown('card')).toMatch(/\nWhy card and not trip\n/);
  expect(shown('card')).not.toContain('tried');
  expect(shown('trip')).toMatch(
    /\ntrip was tried so that the model learns what it earns\nWhy card was ahead of trip\n/,
  );
});
