import type { ConsoleFaults } from '../../../contract/console.ts';
import { count, percent } from '../../parts/numbers.ts';
import { duration } from '../../parts/time.tsx';

export type Rule = ConsoleFaults['rules'][number];
export type Place = Rule['place'];

/** What faults do, in words, by where they are injected. */
export const EFFECTS: Readonly<Record<Place, Readonly<Record<string, string>>>> = {
  requests: {
    refuse: 'answered with 429, not executed',
    fail: 'answered with an error, not executed',
    'fail-after-commit': 'executed, then answered with an error',
    'lose-answer': 'executed, then closed without an answer',
    'slow-answer': 'executed, answered late',
    'cut-answer': 'executed, half of the answer is sent',
  },
  deliveries: {
    double: 'delivered twice',
    late: 'delivered late',
    'out-of-order': 'delivered after the next one',
    'wrong-signature': 'delivered with a wrong signature',
  },
};

/** Rules to begin with. */
export const EXAMPLES = [
  {
    what: 'Every fifth batch of events is answered with 503: does your client try again?',
    place: 'requests',
    rule: { endpoint: 'ingestEvents', fault: 'fail', status: 503, every: 5 },
  },
  {
    what: 'Decisions are answered two seconds late: does your app wait, or show something else?',
    place: 'requests',
    rule: { endpoint: 'decide', fault: 'slow-answer', delayMs: 2000 },
  },
  {
    what: 'Every third delivery comes twice: does your webhook handler count it once?',
    place: 'deliveries',
    rule: { fault: 'double', every: 3 },
  },
] as const;

/** Members of a rule in words. */
const WORDS: Readonly<Record<string, (value: unknown) => string>> = {
  every: (n) => `once in ${count(Number(n))}`,
  from: (n) => `from match ${count(Number(n))} on`,
  to: (n) => `until match ${count(Number(n))}`,
  burst: (n) => `${count(Number(n))} in a row`,
  chance: (share) => `with a chance of ${percent(Number(share))}`,
  status: (status) => `status ${status}`,
  retryAfter: (seconds) => `try again after ${count(Number(seconds))} s`,
  delayMs: (ms) => `${duration(Number(ms))} late`,
};

/** The rest of a rule in words: when it applies. */
export function whenOf({ fault, endpoint, type, ...when }: Rule['rule'] & Record<string, unknown>): string {
  const words = Object.entries(when).map(
    ([name, value]) => WORDS[name]?.(value) ?? `${name} ${String(value)}`,
  );
  return words.length === 0 ? 'always' : words.join(', ');
}
