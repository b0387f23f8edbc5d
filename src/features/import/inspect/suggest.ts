import type { FormatFit } from '../transform/fitting-formats.ts';
import { columnsOf, ruleText, simpleRule } from '../transform/map-rules.ts';
import type { Mapping } from '../transform/mapping.ts';
import { REQUIRED_FIELDS } from '../transform/record-kind.ts';
import type { Flag } from './flag.ts';
import { timeScore } from './names.ts';
import type { Profile } from './profile.ts';
import { type Candidate, type Candidates, likeliest, type Role, SUGGESTED } from './roles.ts';
import { timesIn } from './times.ts';
import { shapeFlags } from './value-flags.ts';

/** What only the user can decide: the placeholder is in `flag`, in capitals. */
export interface Ambiguity {
  /** The column, or the field that no column provides. */
  readonly column: string;
  readonly choices: readonly string[];
  readonly flag: string;
}

/** The flags with which a file can be imported, and what they leave open. */
export interface Suggestion {
  readonly flags: readonly Flag[];
  readonly ambiguities: readonly Ambiguity[];
  /** The column of each field. */
  readonly roles: ReadonlyMap<Role, string>;
  /** How the times are read; undefined if no column holds them, or in several ways. */
  readonly time: FormatFit | undefined;
  /** Why each column was chosen. */
  readonly reasons: ReadonlyMap<Role, string>;
}

/** Maximum number of columns that are named as choices. */
const MAX_CHOICES = 6;

/** Suggests flags for what `mapping`, the flags typed so far, leaves open. */
export function suggest(
  profiles: readonly Profile[],
  candidates: Candidates,
  mapping: Mapping,
  { json, nested = 'flatten' }: { json: boolean; nested?: 'flatten' | 'json' },
): Suggestion {
  const flags: Flag[] = [];
  const ambiguities: Ambiguity[] = [];
  const roles = new Map<Role, string>();
  const reasons = new Map<Role, string>();
  const named = new Map(profiles.map((profile) => [profile.name, profile]));
  const mapped = new Map(
    mapping.map.map(({ target, sources }) => [target, sources.flat().find((name) => named.has(name)) ?? '']),
  );
  const taken = new Set(columnsOf(mapping.map));
  const ask = (column: string, choices: readonly string[], flag: Flag) => {
    flags.push(flag);
    ambiguities.push({ column, choices, flag: `--${flag.join(' ')}` });
  };
  for (const field of REQUIRED_FIELDS[mapping.kind] as readonly Role[]) {
    if (mapping.set.has(field)) continue;
    const given = mapped.get(field) ?? (named.get(field)?.values.length ? field : undefined);
    if (given !== undefined) {
      roles.set(field, given);
      // A mapped field becomes text.
      if (json && field !== 'timestamp' && !mapped.has(field) && named.get(field)?.type === 'number')
        flags.push(['map', `${field}=${field}`]);
      continue;
    }
    const open = candidates[field].filter(({ profile }) => !taken.has(profile.name));
    // The only times of the records are theirs, whatever the column is called.
    const only = field === 'timestamp' && open.length === 1 ? open[0] : undefined;
    const found = likeliest(open) ?? only;
    const unread = field === 'timestamp' && open.length === 0 ? unreadTimes(profiles) : undefined;
    if (!found && unread) {
      roles.set(field, unread.name);
      taken.add(unread.name);
      flags.push(['map', ruleText(simpleRule(field, unread.name))]);
      continue;
    }
    if (found) {
      const more = field === 'userId' ? others(found, open).map(({ name }) => [name]) : [];
      const rule = { target: field, sources: [found.parts ?? [found.profile.name], ...more] };
      roles.set(field, rule.sources[0]![0]!);
      reasons.set(field, found.reason);
      if (found.parts) named.set(rule.sources[0]![0]!, found.profile);
      for (const name of rule.sources.flat()) taken.add(name);
      flags.push(['map', ruleText(rule)]);
    } else {
      const choices = open.slice(0, MAX_CHOICES).map(({ profile }) => profile.name);
      const likely =
        open.some(({ score }) => score >= SUGGESTED) || (field === 'timestamp' && open.length > 0);
      ask(field, choices, placeholder(field, likely));
    }
  }
  const time = timeFlags();
  if (json) flags.push(...shapeFlags(profiles, mapping, taken, nested));
  return { flags, ambiguities, roles, time, reasons };

  /** Adds the flags that read the times, unless they are typed. */
  function timeFlags(): FormatFit | undefined {
    const column = roles.get('timestamp');
    const profile = column === undefined ? undefined : named.get(column);
    if (!profile || profile.values.length === 0) return undefined;
    const fits = timesIn(profile);
    const [first, ...more] = fits;
    if (mapping.convert !== undefined || mapping.timestampFormat !== undefined) return first;
    if (!first) {
      ask(profile.name, [], ['timestamp-format', 'TIMESTAMP_FORMAT']);
      return undefined;
    }
    if (more.length > 0) {
      const choices = fits.map(({ format }) => format ?? '');
      ask(profile.name, choices, ['timestamp-format', 'TIMESTAMP_FORMAT']);
      return undefined;
    }
    const [name, value] = first.flags;
    if (name !== undefined) flags.push(value === undefined ? [name.slice(2)] : [name.slice(2), value]);
    return first;
  }
}

/** A column that should hold times, by its name, in no form that is known. */
function unreadTimes(profiles: readonly Profile[]): Profile | undefined {
  return profiles.find(
    ({ name, type, values }) =>
      type === 'string' && timeScore(name) >= 80 && values.every((value) => /\d.*\d/.test(value)),
  );
}

/** Other columns that identify the user where the first is empty. */
function others(first: Candidate, candidates: readonly Candidate[]): Profile[] {
  if (first.profile.empty === 0) return [];
  const next = candidates.find(
    ({ profile, score }) =>
      profile !== first.profile && score >= SUGGESTED && profile.empty < first.profile.empty,
  );
  return next ? [next.profile] : [];
}

function placeholder(field: Role, fromColumn: boolean): Flag {
  const name = { userId: 'USER_ID', event: 'EVENT_NAME', timestamp: 'TIMESTAMP' }[field];
  return fromColumn ? ['map', `${field}=${name.replace('_NAME', '')}_COLUMN`] : ['set', `${field}=${name}`];
}
