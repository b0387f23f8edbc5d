import { columnsOf, ruleText, simpleRule } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { PLACEHOLDERS } from '../record/placeholders.ts';
import { REQUIRED_FIELDS } from '../record/record-kind.ts';
import { type Ambiguity, type Asked, flagText } from './ambiguity.ts';
import type { FormatFit } from './fitting-formats.ts';
import type { Flag } from './flag.ts';
import { idColumn } from './id-column.ts';
import { isForeignTime, timeScore } from './names.ts';
import type { Profile } from './profile.ts';
import {
  type Candidate,
  type Candidates,
  CHOICE,
  couldName,
  likeliest,
  type Role,
  SUGGESTED,
} from './roles.ts';
import { timeFlags } from './time-flags.ts';
import { areNumbers, isTimeOfDay } from './times.ts';
import { NO_VALUE, shapeFlags } from './value-flags.ts';

/** The flags with which a file can be imported, and what they leave open. */
export interface Suggestion {
  readonly flags: readonly Flag[];
  readonly ambiguities: readonly Ambiguity[];
  /** The column of each field. */
  readonly roles: ReadonlyMap<Role, string>;
  /** The column of the ids of events. */
  readonly eventId: string | undefined;
  /** How the times are read; undefined if no column holds them, or in several ways. */
  readonly time: FormatFit | undefined;
  /** Why each column was chosen. */
  readonly reasons: ReadonlyMap<Role, string>;
}

/** Maximum number of columns that are named as choices. */
const MAX_CHOICES = 6;
const MAX_INSTEAD = 3;

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
  const ask = (asked: Asked, into: Flag[]) => {
    into.push(asked.flag);
    ambiguities.push({ ...asked, flag: flagText(asked.flag) });
  };
  const fields = (REQUIRED_FIELDS[mapping.kind] as readonly Role[]).filter(
    (field) => !mapping.set.has(field),
  );
  const found = new Map<Role, Flag[]>();
  const openFor = (field: Role) => candidates[field].filter(({ profile }) => !taken.has(profile.name));
  const use = (field: Role, { profile, parts, reason }: Candidate, more: readonly Profile[] = []) => {
    const rule = {
      target: field,
      sources: [parts ?? [profile.name], ...more.map(({ name }) => [name])],
    };
    const name = rule.sources[0]![0]!;
    roles.set(field, name);
    reasons.set(field, reason);
    if (parts) named.set(name, profile);
    for (const one of rule.sources.flat()) taken.add(one);
    found.set(field, [['map', ruleText(rule)]]);
  };
  for (const field of fields) {
    const given = mapped.get(field) ?? (named.get(field)?.values.length ? field : undefined);
    if (given !== undefined) {
      roles.set(field, given);
      // A mapped field becomes text.
      const isNumber =
        json && field !== 'timestamp' && !mapped.has(field) && named.get(field)?.type === 'number';
      found.set(field, isNumber ? [['map', `${field}=${field}`]] : []);
      continue;
    }
    const open = openFor(field);
    // The only times of the records are theirs, whatever the column is called.
    const only = field === 'timestamp' && open.length === 1 && areTimes(open[0]!) ? open[0] : undefined;
    const likely = likeliest(open) ?? only;
    const unread = field === 'timestamp' && open.length === 0 ? unreadTimes(profiles) : undefined;
    if (likely) use(field, likely, field === 'userId' ? others(likely, open) : []);
    else if (unread) {
      roles.set(field, unread.name);
      taken.add(unread.name);
      found.set(field, [['map', ruleText(simpleRule(field, unread.name))]]);
    }
  }
  let timeColumns: Profile[] = [];
  // What is asked is asked last: a column that has another role is no choice.
  for (const field of fields) {
    const open = openFor(field);
    const choices = open.filter(({ score }) => score >= (field === 'timestamp' ? 1 : CHOICE));
    const [first] = choices;
    if (!found.has(field) && field !== 'timestamp' && choices.length === 1 && couldName(first!.profile))
      use(field, { ...first!, reason: `the only candidate, ${first!.reason}` });
    if (!found.has(field)) {
      const asked = question(field, choices, open, unnamedColumns(field, profiles, candidates, taken));
      const own: Flag[] = [];
      ask(asked, own);
      found.set(field, own);
      if (field === 'timestamp')
        timeColumns = open
          .filter(({ profile }) => asked.choices.includes(profile.name))
          .map(({ profile }) => profile);
    }
    flags.push(...found.get(field)!);
  }
  const eventId = mapping.kind === 'events' ? eventIdOf() : undefined;
  const column = roles.get('timestamp');
  const chosen = column === undefined ? undefined : named.get(column);
  if (chosen && chosen.values.length > 0) timeColumns = [chosen];
  const times = timeFlags(timeColumns, profiles, mapping);
  flags.push(...times.flags);
  for (const asked of times.asked) ask(asked, flags);
  flags.push(
    ...noValueFlags(
      [...roles.values()].flatMap((name) => named.get(name) ?? []),
      mapping,
    ),
  );
  if (json) flags.push(...shapeFlags(profiles, mapping, taken, nested));
  return { flags, ambiguities, roles, eventId, time: times.time, reasons };

  /** The column of the ids of events, and the flag that maps it. */
  function eventIdOf(): string | undefined {
    const own = named.get('eventId');
    if (mapped.has('eventId') || mapping.set.has('eventId')) return mapped.get('eventId') || undefined;
    if (own && !(json && own.type === 'number')) return own.name;
    const asked = new Set([...taken, ...ambiguities.flatMap(({ choices }) => choices)]);
    const name = own?.name ?? idColumn(profiles, asked)?.name;
    if (name === undefined) return undefined;
    taken.add(name);
    flags.push(['map', ruleText(simpleRule('eventId', name))]);
    return name;
  }
}

/** Returns whether a column with times holds those of events, and not something that only looks like it. */
function areTimes({ profile: { name, values } }: Candidate): boolean {
  return !isForeignTime(name) && (timeScore(name) > 0 || !areNumbers(values));
}

/** Asks for the column of a field, or for a constant where no column is likely. */
function question(
  field: Role,
  choices: readonly Candidate[],
  open: readonly Candidate[],
  columns: readonly string[],
): Asked {
  if (choices.length > 0)
    return {
      column: field,
      choices: choices.slice(0, MAX_CHOICES).map(({ profile }) => profile.name),
      flag: ['map', `${field}=${PLACEHOLDERS.map[field]}`],
    };
  return {
    column: field,
    choices: [],
    flag: ['set', `${field}=${PLACEHOLDERS.set[field]}`],
    instead: [...new Set([...open.map(({ profile }) => profile.name), ...columns])]
      .slice(0, MAX_INSTEAD)
      .map((name) => ['map', ruleText(simpleRule(field, name))]),
  };
}

/**
 * The columns whose contents could be a user or an event, for a field that no name of a column suggests, such as names in
 * another language: the most different values first for the user, the fewest for the event.
 */
function unnamedColumns(
  field: Role,
  profiles: readonly Profile[],
  { timestamp }: Candidates,
  taken: ReadonlySet<string>,
): string[] {
  if (field === 'timestamp') return [];
  const times = new Set(timestamp.map(({ profile }) => profile.name));
  return (
    profiles
      .filter((profile) => couldName(profile) && (field === 'userId' || profile.type === 'string'))
      .filter(({ name }) => !taken.has(name) && !times.has(name))
      // What is inside an object describes the record less often.
      .sort(
        (a, b) =>
          a.depth - b.depth ||
          (field === 'userId' ? b.distinct - a.distinct : a.distinct - b.distinct || a.empty - b.empty),
      )
      .map(({ name }) => name)
  );
}

/** The texts in the columns of fields that stand for nothing. */
function noValueFlags(columns: readonly Profile[], { nullTexts }: Mapping): Flag[] {
  const texts = new Set(columns.flatMap(({ values }) => values.filter((value) => NO_VALUE.has(value))));
  return [...texts].filter((text) => !nullTexts?.has(text)).map((text) => ['null', text] as const);
}

/** Something that looks like a date, inside of a text. */
const DATE = /(?<!\d)(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](\d{4}|\d\d))(?!\d)/;

/** A column that should hold times, by its name, in no form that is known. */
function unreadTimes(profiles: readonly Profile[]): Profile | undefined {
  return profiles.find(
    ({ name, type, values }) =>
      type === 'string' &&
      (timeScore(name) >= 80 || (timeScore(name) >= 70 && values.every((value) => DATE.test(value)))) &&
      values.every((value) => /\d.*\d/.test(value) && !/^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i.test(value)) &&
      !values.every(isTimeOfDay),
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
