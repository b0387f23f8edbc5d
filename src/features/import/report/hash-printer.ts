import type { Output } from '../../../cli/terminal/output.ts';
import type { Answer } from '../deliver/send.ts';

/** Prints userId and hashId of each user in an answer, one per line. Ignores answers without users. */
export function hashPrinter(out: Output): (answer: Answer) => void {
  return ({ body }) => {
    const users = (body as { users?: unknown } | undefined)?.users;
    if (!Array.isArray(users)) return;
    for (const user of users as unknown[]) {
      const { userId, hashId } = (user ?? {}) as Record<string, unknown>;
      if (typeof userId !== 'string' || typeof hashId !== 'string') continue;
      out.line({ userId, hashId }, () => `${userId}\t${hashId}`);
    }
  };
}
