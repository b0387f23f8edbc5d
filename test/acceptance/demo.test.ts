import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DeliveryBody } from '../../src/contract/schemas.ts';
import { runSvc } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

const MOVES = ['Track', 'Decide', 'Render', 'Notify', 'Call back'];

describe('svc demo', () => {
  it.each([80, 120, undefined])('tells the five moves in order, on %s columns', async (columns) => {
    const home = tempDir();
    const { code, stdout, stderr } = await runSvc(['demo'], { home, ...(columns ? { columns } : {}) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const plain = stdout.replace(/\u001b\[\d+m/g, '');
    expect(plain !== stdout).toBe(columns !== undefined);
    const titles = [...plain.matchAll(/^(\d) (Track|Decide|Render|Notify|Call back)\b/gm)];
    expect(titles.map(([, number, title]) => [Number(number), title])).toEqual(
      MOVES.map((title, i) => [i + 1, title]),
    );
    expect(plain).toContain('queued → dispatched → delivered');
    expect(plain.match(/✓ .*signature verified/g)).toHaveLength(3);
    expect(Math.max(...plain.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    // The demo uses temporary data and does not touch that of `local`.
    expect(existsSync(join(home, 'data'))).toBe(false);
  });

  it('gives a line of JSON for each move, with what the service answered', async () => {
    const { code, stdout } = await runSvc(['demo', '--json'], { env: { SVC_PROFILE: 'no-such-profile' } });
    expect(code).toBe(0);
    const [tracked, decided, rendered, notified, calledBack, done] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(tracked).toMatchObject({ move: 'track', users: 3, events: 24 });
    const { decisionId, action } = decided.answer;
    expect(rendered).toMatchObject({ move: 'render', message: { decisionId, contentId: action.contentId } });
    expect(notified.notification).toMatchObject({ status: 'delivered', templateId: 'order_update' });
    const bodies = calledBack.deliveries.map(({ body }: { body: unknown }) => DeliveryBody.parse(body));
    const { notificationId, hashId } = notified.notification;
    expect(hashId).toBe(tracked.hashId);
    expect(bodies.sort((a: DeliveryBody, b: DeliveryBody) => (a.type < b.type ? -1 : 1))).toMatchObject([
      { type: 'campaign.clicked', decisionId: '', contentId: 'order_update', notificationId, hashId },
      { type: 'campaign.opened', decisionId, contentId: action.contentId, hashId },
      { type: 'decision.actioned', decisionId, contentId: action.contentId, hashId },
    ]);
    expect(done).toEqual({ move: 'done', elapsedMs: expect.any(Number) });
  });
});
