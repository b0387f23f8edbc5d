import { SvcError } from '../../cli/errors/svc-error.ts';

/** Parses a rate of deliveries such as `50/s` or `50`, from 1 to `most`. Throws usage. */
export function parseRate(text: string, flag: string, most: number): number {
  const rate = Number(/^(\d{1,5})(?:\/s)?$/.exec(text)?.[1]);
  if (rate >= 1 && rate <= most) return rate;
  throw new SvcError('usage', `${flag} ${text} is not a number of deliveries a second from 1 to ${most}`, {
    hint: (invocation) => invocation.rerunWith(flag, '50/s'),
  });
}
