import { SvcError } from '../../cli/errors/svc-error.ts';
import { fileText } from '../../cli/input/input-bytes.ts';
import type { World } from '../../cli/terminal/world.ts';
import { always, best, type Policy, running, uniform, weighted } from './policies.ts';

/** The policies that have a name of their own. */
export const NAMED: ReadonlyMap<string, Policy> = new Map([
  ['running', running],
  ['uniform', uniform],
  ['best', best],
]);

/** Size of the largest policy file that is read, in bytes. */
const MAX_POLICY_BYTES = 1024 * 1024;

/**
 * Resolves `--policy`: `running`, `uniform`, `best`, `content:ID`, or a JSON file with a weight for each content.
 * Throws usage and file.
 */
export async function policyOf(name: string, world: Pick<World, 'cwd' | 'onInterrupt'>): Promise<Policy> {
  const named = NAMED.get(name);
  if (named) return named;
  if (name.startsWith('content:')) {
    const contentId = name.slice('content:'.length);
    if (contentId !== '') return always(contentId);
    throw new SvcError('usage', '--policy content: lacks the id of the content', {
      hint: (invocation) => invocation.rerunWith('--policy', 'content:ID'),
    });
  }
  return weighted(weightsOf(name, await fileText(name, world, MAX_POLICY_BYTES)));
}

function weightsOf(name: string, text: string): Map<string, number> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {}
  const entries =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const valid = entries.every(([, weight]) => typeof weight === 'number' && weight >= 0);
  const total = entries.reduce((sum, [, weight]) => sum + (weight as number), 0);
  if (!valid || !Number.isFinite(total) || !entries.some(([, weight]) => weight > 0))
    throw new SvcError(
      'usage',
      `${name} is not a policy: a JSON object with a weight of 0 or more for each content`,
      {
        hint: 'write a file such as {"welcome-back": 3, "spring-sale": 1}',
      },
    );
  return new Map(entries as [string, number][]);
}
