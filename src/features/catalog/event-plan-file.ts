import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SvcError } from '../../cli/errors/svc-error.ts';
import type { World } from '../../cli/terminal/world.ts';
import { isMembers } from '../../contract/catalog-changes.ts';
import { type EventPlan, type Judge, judgeOf } from '../../contract/event-plan.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';
import { firstOf } from '../../kit/first-of.ts';
import { readCatalog } from './file.ts';
import { issuesOf } from './issues.ts';

/** A plan of events as it was read from a file. */
export interface GivenPlan {
  /** As it was typed. */
  readonly file: string;
  readonly section: EventPlan;
  readonly judge: Judge;
  /** Hex SHA-256 of the section: the rest of a catalog does not matter. */
  readonly digest: string;
}

/** Errors of a plan that are printed. */
const SHOWN = 5;

/**
 * Reads the section `events` of a catalog, or of a file that has nothing else, as `svc events plan` prints it. Throws a
 * `file` or `usage` error.
 */
export async function readEventPlan(file: string, world: World): Promise<GivenPlan> {
  if (file === '-')
    throw new SvcError('usage', '--plan is read from a file, not from standard input', {
      hint: 'write it to a file first: --plan plan.json',
    });
  const { catalog } = await readCatalog(file, world);
  if (!isMembers(catalog.events))
    throw new SvcError('file', `${file} has no plan of events`, {
      hint: (invocation) => `print one: ${invocation.onSameService('events', 'plan', '--from-service')}`,
    });
  return { file, ...checkedPlan(file, catalog.events) };
}

/** The plan that a file is: a JSON object whose `events` is an object. Undefined for any other file. Throws a `file` error. */
export async function planIn(file: string, world: World): Promise<EventPlan | undefined> {
  const found = statSync(resolve(world.cwd, file), { throwIfNoEntry: false });
  // A pipe can be read only once, and a folder has many files.
  if (!found?.isFile() || found.size > MAX_BODY_BYTES) return undefined;
  const catalog = await readCatalog(file, world).then(
    (read) => read.catalog,
    () => undefined,
  );
  return catalog && isMembers(catalog.events) ? checkedPlan(file, catalog.events).section : undefined;
}

function checkedPlan(file: string, section: unknown): Omit<GivenPlan, 'file'> {
  const issues = issuesOf({ contents: [], events: section });
  if (issues.length > 0) {
    const texts = issues.map(({ path, message }) => `${path} ${message}`);
    throw new SvcError('file', `${file}: ${firstOf(texts, SHOWN, '; ')}`, {
      hint: 'correct it; docs/catalog.md describes the section `events`',
    });
  }
  const plan = section as EventPlan;
  const digest = createHash('sha256').update(JSON.stringify(plan)).digest('hex');
  return { section: plan, judge: judgeOf(plan), digest };
}
