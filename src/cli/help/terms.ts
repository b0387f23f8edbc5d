import type { ManifestArg, ManifestFlag } from '../command/manifest.ts';
import { cyan, type Text } from '../terminal/text.ts';

/** Returns the command line of a command id. */
export const commandName = (id: string): string => `svc ${id.replaceAll(':', ' ')}`;

/** Returns a flag as a term (`-n, --dry-run`) and its meaning with default and choices. */
export function flag(definition: ManifestFlag): [Text, string] {
  const { name, char, type, summary = '', description, multiple, required, allowNo } = definition;
  const long = allowNo ? `--[no-]${name}` : `--${name}`;
  const value = type === 'option' ? ` ${valueName(definition)}` : '';
  const notes = [
    required ? 'required' : '',
    definition.default === undefined || definition.default === false ? '' : `default ${definition.default}`,
    // The placeholder may already list the values.
    definition.options && !value.includes('|') ? `one of ${definition.options.join(', ')}` : '',
    multiple && !/again|repeat/.test(summary) ? 'may be repeated' : '',
  ].filter(Boolean);
  const meaning = [summary || (description ?? ''), notes.length > 0 ? `(${notes.join('; ')})` : '']
    .filter(Boolean)
    .join(' ');
  return [[cyan(char ? `-${char}, ${long}` : `    ${long}`), value], meaning];
}

/** Returns the placeholder of a flag's value. */
export function valueName({ helpValue, options, name, default: preset }: ManifestFlag): string {
  const kind = typeof preset === 'number' ? 'N' : name.split('-').at(-1)!.toUpperCase();
  return helpValue ?? options?.join('|') ?? kind;
}

export function argument({ name, description = '', required, options }: ManifestArg): [Text, string] {
  const notes = [options ? `one of ${options.join(', ')}` : '', required ? '' : 'optional'].filter(Boolean);
  return [
    cyan(name.toUpperCase()),
    notes.length === 0 ? description : `${description} (${notes.join('; ')})`,
  ];
}
