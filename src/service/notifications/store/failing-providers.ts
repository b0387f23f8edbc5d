import type { Tx } from '../../platform/store/store.ts';
import { fanOuts } from '../../webhooks/store/fan-outs.ts';
import { namedKinds } from '../../webhooks/store/named-kinds.ts';
import { UNCERTAIN } from '../rules/dispatch.ts';
import type { DispatchResult } from './notification-rows.ts';

/** A provider fails once it took nothing for so long, in ms, in so many attempts. */
const FAILING_MS = 60_000;
const FAILING_ATTEMPTS = 3;
/** Failures that are further apart do not belong together, in ms. */
const APART_MS = 3_600_000;

/** A provider of a channel. */
interface ProviderOfChannel {
  readonly channel: string;
  readonly provider: string;
}

/** A provider that was not reached, or answered neither yes nor no. */
const isUnusable = (
  result: DispatchResult,
): result is Extract<DispatchResult, { readonly failure: string }> =>
  result.event === 'retry'
    ? !result.throttled
    : result.event === 'fail' && result.failure.startsWith(UNCERTAIN);

/** The providers that take no notifications of a workspace, counted while a subscription wants to know. */
export const failingProviders = {
  /** Takes note of the result of an attempt, and tells when a provider begins and ends to fail. */
  async note(tx: Tx, workspaceId: string, of: ProviderOfChannel, result: DispatchResult): Promise<void> {
    const named = await namedKinds(tx, workspaceId);
    if (!named.has('provider.failing') && !named.has('provider.recovered')) return;
    const key = [workspaceId, of.channel, of.provider];
    if (result.event === 'accept' || result.event === 'deliver') {
      const ended = await tx.sql.get<{ told: number }>(
        'DELETE FROM failing_provider WHERE workspace_id = ? AND channel = ? AND provider = ? RETURNING told',
        key,
      );
      if (ended?.told === 1) await fanOuts.tell(tx, workspaceId, 'provider.recovered', of);
    } else if (isUnusable(result)) {
      await tx.sql.run(
        `DELETE FROM failing_provider WHERE workspace_id = ? AND channel = ? AND provider = ? AND last_at < ?`,
        [...key, tx.now - APART_MS],
      );
      const row = await tx.sql.get<{ since: number; failures: number; told: number }>(
        `INSERT INTO failing_provider (workspace_id, channel, provider, since, last_at, failures, told)
         VALUES (?, ?, ?, ?, ?, 1, 0)
         ON CONFLICT (workspace_id, channel, provider) DO UPDATE SET last_at = excluded.last_at,
           failures = failing_provider.failures + 1
         RETURNING since, failures, told`,
        [...key, tx.now, tx.now],
      );
      const { since, failures, told } = row!;
      if (told === 1 || failures < FAILING_ATTEMPTS || tx.now - since < FAILING_MS) return;
      await tx.sql.run(
        'UPDATE failing_provider SET told = 1 WHERE workspace_id = ? AND channel = ? AND provider = ?',
        key,
      );
      await fanOuts.tell(tx, workspaceId, 'provider.failing', { ...of, reason: result.failure });
    }
  },
};
