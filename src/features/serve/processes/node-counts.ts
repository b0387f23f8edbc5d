import type { ClientVerdict, CountClients } from '../../../service/http/access/client-counts.ts';
import type { CountQuestion, FromMember, ToMember } from './messages.ts';

/**
 * Counts the requests of clients in the node, so that its limits hold for all its processes together. The requests of one
 * turn of the event loop are one message.
 */
export function countInNode(): CountClients {
  const waiting = new Map<number, (verdict: ClientVerdict) => void>();
  let asked = 0;
  let questions: CountQuestion[] = [];
  const send = () => {
    const message: FromMember = { type: 'count', questions };
    questions = [];
    // Without its node, this process ends at once (node:cluster).
    if (process.connected) process.send?.(message, () => {});
  };
  process.on('message', (message: ToMember) => {
    if (message.type !== 'counted') return;
    for (const { id, verdict } of message.answers) {
      waiting.get(id)?.(verdict);
      waiting.delete(id);
    }
  });
  return (request) =>
    new Promise((resolve) => {
      const id = ++asked;
      waiting.set(id, resolve);
      if (questions.push({ id, request }) === 1) setImmediate(send);
    });
}
