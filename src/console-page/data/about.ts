import { signal } from '@preact/signals';
import type { ConsoleAbout } from '../../contract/console.ts';
import { commandLine } from '../../kit/shell.ts';
import { ask } from './api.ts';

export const about = signal<ConsoleAbout | undefined>(undefined);

/** Asks again who answers. Failures show in `reach`. */
export async function refreshAbout(): Promise<void> {
  about.value = await ask<ConsoleAbout>('about').catch(() => about.value);
}

/** How often a detail that may still change is read again, in ms; rarely before a remote service, which counts each read. */
export const followEvery = (): number => (about.value?.local ? 2000 : 10_000);

/** True if the console passes this operation on. */
export const offers = (operation: string): boolean =>
  about.value?.operations.some((name) => name === operation) ?? false;

/** Returns a command line that does the same in a shell, for the same service: every word is quoted where it must be. */
export function svcCommand(...words: readonly string[]): string {
  const { commandPrefix = 'svc', commandSuffix = '' } = about.value ?? {};
  return [commandPrefix, commandLine(words), commandSuffix].filter((part) => part !== '').join(' ');
}

/** Returns `--name value` for each value that is set, the names in kebab case. */
export function flagsOf(values: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value ? [`--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}=${value}`] : [],
  );
}
