import type { Catalogs } from '../catalog/follow.ts';
import type { Tx } from '../platform/store/store.ts';
import { consents } from '../users/store/consents.ts';
import { users } from '../users/store/users.ts';
import {
  capPeriods,
  marketingVerdict,
  SEND,
  scheduleVerdict,
  type Verdict,
  withinValidity,
} from './rules/sending-rules.ts';
import type { DueNotification } from './store/notification-claims.ts';
import { marketingSent } from './store/sent.ts';

/**
 * Decides whether a due notification may be sent now, by what the catalog and the user say, in the transaction that
 * claims it. Marketing that may be sent is counted as sent, so that no other node sends more than a cap allows. Resolves to
 * undefined while another node decides about the same user.
 */
export async function maySend(
  tx: Tx,
  found: DueNotification,
  catalogs: Catalogs,
): Promise<Verdict | undefined> {
  const template = (await catalogs.of(tx, found.workspaceId)).templates.get(found.templateId);
  // Sending it fails with the reason.
  if (!template) return SEND;
  const { rules, validForMs, marketingValidForMs } = template;
  const transactional = found.priority === 'transactional';
  const validFor = transactional ? validForMs : marketingValidForMs;
  const validUntil = validFor === undefined ? undefined : found.sendFrom + validFor;
  const scheduled = scheduleVerdict(template, tx.now, found.sendFrom);
  if (scheduled.verdict !== 'send') return withinValidity(scheduled, tx.now, validUntil);
  if (transactional) return withinValidity(SEND, tx.now, validUntil);
  const { workspaceId, hashId, channel } = found;
  const message = { ...found, category: rules.category };
  if (rules.caps.length > 0 && !(await marketingSent.tryLock(tx, message))) return undefined;
  const timeZone = (await users.timeZone(tx, workspaceId, hashId)) ?? rules.timeZone;
  const verdict = withinValidity(
    marketingVerdict(rules, {
      now: tx.now,
      channel,
      timeZone,
      statements: await consents.ofUser(tx, workspaceId, hashId),
      sent: await marketingSent.count(tx, message, capPeriods(tx.now, timeZone)),
    }),
    tx.now,
    validUntil,
  );
  if (verdict.verdict === 'send') await marketingSent.add(tx, message);
  return verdict;
}
