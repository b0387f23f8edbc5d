import { signal } from '@preact/signals';
import type { ConsoleAbout } from '../../contract/console.ts';
import { commandLine } from '../../kit/shell.ts';
import { ask } from './api.ts';
import { token } from './session.ts';

/** Where the last answer is kept for this tab: with it a view is loaded at once, beside the next answer. */
const KEY = 'svc-console-about';

export const about = signal<ConsoleAbout | undefined>(undefined);

/** Takes the answer that this session had last, until the next one; of one that ended, it has the command for another. */
export function restoreAbout(): void {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as {
    of: string;
    about: ConsoleAbout;
  } | null;
  if (kept && [kept.of, null].includes(token())) about.value = kept.about;
}

/** Asks again who answers. Failures show in `reach`. */
export async function refreshAbout(): Promise<void> {
  const answer = await ask<ConsoleAbout>('about').catch(() => undefined);
  if (answer === undefined) return;
  about.value = answer;
  sessionStorage.setItem(KEY, JSON.stringify({ of: token(), about: answer }));
}

/** How often a detail that may still change is read again, in ms; rarely before a remote service, which counts each read. */
export const followEvery = (): number => (about.value?.local ? 2000 : 10_000);

/** How many rules inject faults now. */
export const faultsOn = (): number => about.value?.faultsOn ?? 0;

/** True if the console passes this operation on. */
export const offers = (operation: string): boolean =>
  about.value?.operations.some((name) => name === operation) ?? false;

/** Returns a command line that does the same in a shell, for the same service: every word is quoted where it must be. */
export function svcCommand(...words: readonly string[]): string {
  const { commandPrefix = 'svc', commandSuffix = '' } = about.value ?? {};
  return [commandPrefix, commandLine(words), commandSuffix].filter((part) => part !== '').join(' ');
}

/** The command that reads what no other command does. */
export const apiCommand = (path: string, query: Readonly<Record<string, string | undefined>>): string =>
  svcCommand(
    'api',
    'GET',
    path,
    ...Object.entries(query).flatMap(([name, value]) => (value ? ['-f', `${name}=${value}`] : [])),
  );

/** Returns `--name value` for each value that is set, the names in kebab case. */
export function flagsOf(values: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value ? [`--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}=${value}`] : [],
  );
}
