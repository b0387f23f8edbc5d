import type { Ambiguity } from '../guess/ambiguity.ts';
import type { Findings } from '../guess/findings.ts';
import type { Profile, ProfileType } from '../guess/profile.ts';
import type { Role } from '../guess/roles.ts';
import type { Suggestion } from '../guess/suggest.ts';

/** A column of a table, or a path of JSON records. */
export interface InspectedColumn {
  readonly name: string;
  readonly type: ProfileType;
  readonly examples: readonly string[];
  /** Records of the sample in which it is empty, null or missing. */
  readonly empty: number;
  readonly distinct: number;
  readonly min: string | number | null;
  readonly max: string | number | null;
  readonly role: Role | 'eventId' | null;
}

/** The document that `events inspect --json` prints (docs/reference/output.md). */
export interface Inspection {
  readonly files: readonly string[];
  readonly format: string;
  readonly encoding: string;
  readonly compression: string | null;
  readonly delimiter: string | null;
  /** The first row names the columns; null for formats without rows. */
  readonly header: boolean | null;
  readonly rows: number;
  /** All rows were counted; otherwise their number is an estimate. */
  readonly rowsExact: boolean;
  readonly columns: readonly InspectedColumn[];
  readonly timestamps: {
    readonly format: string | null;
    readonly first: string | null;
    readonly last: string | null;
  };
  readonly ambiguities: readonly Omit<Ambiguity, 'instead' | 'meaning'>[];
  readonly command: string;
}

/** The number of rows, and the times of those that were read. */
export interface Extent {
  readonly rows: number;
  readonly rowsExact: boolean;
  readonly first: string | null;
  readonly last: string | null;
}

const EXAMPLES = 3;
const MAX_CHARS = 100;

/** Makes the document of an inspection. */
export function inspectionOf(findings: Findings, extent: Extent, command: string): Inspection {
  const { samples, profiles, suggestion } = findings;
  const [first] = samples;
  const inputs = samples.map(({ input }) => input);
  const time = suggestion.time;
  return {
    files: inputs.map(({ name }) => name),
    format: first?.input.format ?? 'ndjson',
    encoding: first?.input.encoding ?? 'utf-8',
    compression: first?.input.compression ?? null,
    delimiter: first?.delimiter ?? null,
    header: first?.header ? findings.header : null,
    rows: extent.rows,
    rowsExact: extent.rowsExact,
    columns: profiles.map((profile) => columnOf(profile, suggestion)),
    timestamps: { format: time ? (time.format ?? 'ISO 8601') : null, first: extent.first, last: extent.last },
    ambiguities: suggestion.ambiguities.map(({ column, choices, flag }) => ({ column, choices, flag })),
    command,
  };
}

function columnOf(
  profile: Profile,
  { roles, eventId }: Pick<Suggestion, 'roles' | 'eventId'>,
): InspectedColumn {
  const { name, type, values, empty, distinct, min, max } = profile;
  const role = [...roles].find(([, column]) => column === name)?.[0] ?? (name === eventId ? 'eventId' : null);
  return { name, type, examples: examplesOf(values), empty, distinct, min, max, role };
}

function examplesOf(values: readonly string[]): string[] {
  const examples = new Set<string>();
  for (const value of values) {
    examples.add(value.slice(0, MAX_CHARS));
    if (examples.size === EXAMPLES) break;
  }
  return [...examples];
}
