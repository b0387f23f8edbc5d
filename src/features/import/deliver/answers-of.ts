import type { Connection } from '../../../cli/connection/connect.ts';
import type { SentRecords } from '../../../client/acknowledgement.ts';

/** Where records are sent, and whether any 2xx acknowledges them there, by the flag or by the profile. */
export function answersOf(
  { baseUrl, acceptAnyAnswer }: Pick<Connection, 'baseUrl' | 'acceptAnyAnswer'>,
  flags: { readonly 'accept-any-answer': boolean },
): Pick<SentRecords, 'baseUrl' | 'acceptAny'> {
  return { baseUrl, acceptAny: flags['accept-any-answer'] || acceptAnyAnswer };
}
