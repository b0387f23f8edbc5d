import { signal } from '@preact/signals';
import { commandLine } from '../../kit/shell.ts';
import { ask } from './api.ts';

/** What the console says of itself and of the service that it stands before. */
export interface About {
  readonly version: string;
  readonly profile: string;
  readonly baseUrl: string;
  /** True for the service on this machine. */
  readonly local: boolean;
  /** True if the page may change things. */
  readonly write: boolean;
  readonly workspace: { readonly id: string; readonly environment?: string };
  /** The operations that may be called through `/api`. */
  readonly operations: readonly string[];
  /** Words before each command, such as `svc`. */
  readonly commandPrefix: string;
  /** Words after each command, such as `--profile staging`; they choose the same service. */
  readonly commandSuffix?: string;
  readonly catalog?: { readonly readOnly: boolean; readonly reason: string };
  /** True if the console can show imports and injected faults of this machine. */
  readonly machine: boolean;
}

export const about = signal<About | undefined>(undefined);

/** Asks again who answers. Failures show in `reach`. */
export async function refreshAbout(): Promise<void> {
  about.value = await ask<About>('about').catch(() => about.value);
}

/** True if the console passes this operation on. */
export const offers = (operation: string): boolean => about.value?.operations.includes(operation) ?? false;

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
