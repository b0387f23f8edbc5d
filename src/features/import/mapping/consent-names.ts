import { InputError } from '../input/input-error.ts';
import { FIELDS, type RecordKind } from '../record/record-kind.ts';
import { columnsOf } from './map-rules.ts';
import type { Mapping } from './mapping.ts';

/** Names under which other systems keep consent: as a trait it would be stored, and nothing would obey it. */
const CONSENT = /^(marketing[ _-]?)?(consent|opt[ _-]?(in|out))s?(\.|$)/i;

/** How the service takes consent. */
export const CONSENT_WORDS =
  'optIn and optOut list the channels or categories of which a user wants marketing or refuses it (email, sms/news, *)';

/** True for a field of a user that looks like consent and is not a field of the service. */
export const isLostConsent = (kind: RecordKind, name: string): boolean =>
  kind === 'users' && CONSENT.test(name) && !FIELDS.users.includes(name);

/** Throws InputError for columns of consent that would become traits, unless a flag says what becomes of them. */
export function requireConsentNamed(header: readonly string[], mapping: Mapping, file: string): void {
  const { kind, map, drop, set, extraFields } = mapping;
  if (extraFields !== undefined) return;
  const named = new Set([...columnsOf(map), ...(drop ?? []), ...set.keys()]);
  const lost = header.find((name) => isLostConsent(kind, name) && !named.has(name));
  if (lost !== undefined)
    throw new InputError(
      `${file} has a column ${lost}, which would become a trait and not consent.`,
      `${CONSENT_WORDS}: make columns of these names, with entries separated by semicolons. To leave ${lost} out, add --drop; to keep it as a trait, --extra-fields properties.`,
    );
}
