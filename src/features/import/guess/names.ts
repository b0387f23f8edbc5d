import { wordsOf } from '../mapping/column-types.ts';
import { FOREIGN_PERSONS, PERSONS } from './persons.ts';

/** How well a name suits a role: above 0 possible, 100 is the name of the field itself. */
export type NameScore = number;

const set = (words: string) => new Set(words.split(' '));

/** Words between a person and an ID that leave it the ID of that person. */
const QUALIFIERS = set('unique master external internal global hashed crm ext primary main native');
/** Words after which a name that has a person in it describes the person instead of naming it. */
const ATTRIBUTES = set(
  'feature features affinity agent type types property properties age gender sex country city state region role status ' +
    'segment count counts score level group plan tier lang language locale time timestamp date at first last creation ' +
    'created touch url avatar image description location followers friends verified rating review reviews comment ' +
    'comments traits data attributes zone device os browser version index is has active paying balance total amount ' +
    'birthday birthdate gravatar address phone kind class category organization org company team flag num tags ltv port ' +
    'sales rep manager staff',
);
const IDS = set('id ids uid uuid guid key number no nr code hash ref identifier');
const SESSIONS = set('session visit cookie device');
const EVENT_NAMES = new Map<string, NameScore>([
  ['event', 100],
  ['event_name', 100],
  ['event_type', 96],
  ['eventname', 100],
  ['eventtype', 96],
  ['event_action', 90],
  ['eventaction', 90],
  ['action', 88],
  ['action_type', 88],
  ['action_name', 88],
  ['activity', 86],
  ['activity_type', 86],
  ['activity_name', 86],
  ['behavior', 86],
  ['behaviour', 86],
  ['behavior_type', 86],
  ['interaction', 84],
  ['interaction_type', 84],
  ['verb', 84],
  ['evt', 84],
  ['evt_name', 84],
  ['evt_type', 82],
  ['type', 76],
  ['kind', 72],
  ['operation', 70],
  ['transaction_type', 68],
  ['operation_type', 68],
  ['activity_kind', 68],
  ['event_kind', 68],
  ['page', 54],
]);
/** Names of columns beside which a column `name` is that of an event. */
const EVENT_CONTEXT = set('event distinct insert session properties platform traffic pseudo anonymous');

/** Words of what is counted, measured or paid. */
const QUANTITIES = set(
  'total amount amounts price cost sum balance quantity qty count counts score rating percent percentage share rate tax ' +
    'discount revenue sales profit income age size length width height weight year month week day hour minute second lat ' +
    'lon lng latitude longitude port',
);

/** Returns whether a name is that of a quantity. */
export function isQuantityName(name: string): boolean {
  const words = wordsOf(name);
  const isPort = /^id_(orig|resp)_p$/.test(words.join('_'));
  return isPort || (words.some((word) => QUANTITIES.has(word)) && !words.some((word) => IDS.has(word)));
}

/** Judges whether a column could hold the user of a record; of a path, its last names count. */
export function userScore(path: string): NameScore {
  const names = path.split('.');
  const last = ownUserScore(names.at(-1) ?? '');
  return names.length === 1 ? last : Math.max(last, ownUserScore(names.slice(-2).join(' ')));
}

function ownUserScore(name: string): NameScore {
  const words = withoutSuffix(wordsOf(name));
  const joined = words.join('_');
  if (joined === 'user_id' || joined === 'userid') return 100;
  if (joined === 'distinct_id') return 96;
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  if (last === 'uid') return 90;
  if (last === 'userid') return words[0] === 'network' ? 74 : 82;
  const at = words.findIndex((word) => PERSONS.has(word));
  if (at >= 0) {
    if (words.some((word, i) => i > at && ATTRIBUTES.has(word)) || ATTRIBUTES.has(words[at - 1] ?? ''))
      return 0;
    if (FOREIGN_PERSONS.has(words[at]!) && words.some((word, i) => i !== at && !IDS.has(word))) return 0;
    if (/^(anonymous|pseudo)$/.test(words[at]!) || words.some((word) => /^(anonymous|pseudo)$/.test(word)))
      return 76;
    const owner = before.filter((word) => !QUALIFIERS.has(word)).at(-1) ?? '';
    if (IDS.has(last) && PERSONS.has(owner)) return owner === 'user' ? 98 : owner === 'account' ? 72 : 90;
    if (/^(login|username|nickname|handle)$/.test(last)) return 86;
    // Who made a request to AWS, also without a name of its own.
    if (/^user_identity_(arn|principal_id)$/.test(joined)) return 85;
    if (last === 'name') return 78;
    if (last === 'email' || last === 'mail') return 76;
    // An account alone may be the one of a bank, or one of several of a person.
    if (PERSONS.has(last)) return words.length === 1 && last === 'account' ? 45 : 84;
    // The ID of something else, such as of a request of a client.
    return IDS.has(last) ? 0 : 30;
  }
  if (/^(created|performed|triggered|submitted|requested|initiated)_by(_id)?$/.test(joined)) return 80;
  const merged = /^(.+)id$/.exec(joined)?.[1] ?? '';
  if (PERSONS.has(merged)) return 90;
  if (/^(username|nickname)$/.test(last) || /^(login|screen_name)$/.test(joined)) return 80;
  if (/^(did|lead_id|who)$/.test(joined)) return 80;
  if (/^(email|e_mail|mail|email_address)$/.test(joined)) return 74;
  if (SESSIONS.has(words.at(IDS.has(last) ? -2 : -1) ?? '') || SESSIONS.has(merged))
    return words.includes('device') ? 60 : 50;
  if (/(^|_)(email|e_mail|mail|email_address)$/.test(joined)) return 40;
  if (ADDRESS.test(joined) || /^(phone|mobile|msisdn)$/.test(last)) return 30;
  return /^(id|key|uuid|guid)$/.test(joined) ? 25 : 0;
}

/** An address of a network that stands for its user. */
const ADDRESS =
  /^((c|client|remote|src|source|peer)_?)?(ip|ip_id|ip_addr|ip_address|addr)$|^(remote|client)_(host|addr)$|^(id_)?orig_h$/;

/** Returns whether columns of these names are those of Zeek, whose `uid` is that of a connection. */
export function isConnectionLog(names: readonly string[]): boolean {
  return names.includes('uid') && names.includes('id.orig_h');
}

/** Returns whether columns of these names are those of events, so that a column `name` is the name of one. */
export function isEventContext(names: readonly string[]): boolean {
  return names.some((name) => wordsOf(name).some((word) => EVENT_CONTEXT.has(word)));
}

/** Judges whether a column could hold the name of the event, beside others. */
export function eventScore(path: string, amongEvents: boolean): NameScore {
  const parents = path.split('.');
  const name = parents.pop() ?? '';
  const score = eventNameScore(name, amongEvents);
  return parents.length === 0 || ENVELOPES.has(parents.join('.').toLowerCase())
    ? score
    : Math.max(0, score - 16);
}

/** Objects that hold the event, not something that the event is about. */
const ENVELOPES = set('properties event data payload detail message attributes body record');

function eventNameScore(name: string, amongEvents: boolean): NameScore {
  const words = wordsOf(name);
  const joined = words.join('_');
  const known = EVENT_NAMES.get(joined);
  if (known !== undefined) return known;
  const last = words.at(-1) ?? '';
  if (IDS.has(last) || /^(is|has)$/.test(words[0] ?? '') || words.includes('time')) return 0;
  if (joined === 'name') return amongEvents ? 62 : 20;
  const tail = words.slice(-2).join('_');
  if (words.includes('event') || words.includes('events'))
    return last === 'event' || last === 'name' ? 80 : 40;
  const nested = EVENT_NAMES.get(tail) ?? EVENT_NAMES.get(last);
  if (nested !== undefined && last !== 'page') return words.length > 1 && last === 'type' ? 20 : nested - 20;
  return /^(method|command|operation|status|category|step|stage|topic)$/.test(joined) ? 20 : 0;
}

const TIME_NAMES = new Map<string, NameScore>([
  ['timestamp', 100],
  ['event_timestamp', 100],
  ['event_time', 100],
  ['eventtime', 100],
  ['event_datetime', 98],
  ['event_date', 92],
  ['event_at', 98],
  ['occurred_at', 98],
  ['occurred', 96],
  ['time', 94],
  ['datetime', 94],
  ['date_time', 94],
  ['ts', 92],
  ['date', 88],
  ['created_at', 88],
  ['created', 86],
  ['created_time', 86],
  ['create_time', 86],
  ['creation_time', 80],
  ['when', 80],
  ['derived_tstamp', 96],
  ['collector_tstamp', 90],
]);
const TIME_WORDS = set(
  'time times timestamp date dates datetime at on ts tstamp tms day when stamp epoch created unix zeit datum fecha heure',
);
const ZONES_AND_UNITS = set('utc gmt local s sec secs seconds ms millis us micros ns nanos epoch unix');
/** Words of times at which something else than the event happened. */
const OTHER_TIMES = set(
  'processed processing process received receive server upload uploaded synced sync ingested ingestion ingest loaded ' +
    'load etl inserted insert updated update modified modify changed deleted expires expiry expiration expired end ' +
    'ended finish finished closed birth birthday born dob first last user registered registration signup join joined ' +
    'install installed previous prev next due shipping delivery due estimated publish published profile account start ' +
    'fivetran meltano airbyte export exported extracted archived resolved',
);

/** Judges whether a column could hold the time of the event; 0 for a name without a word for time. */
export function timeScore(name: string): NameScore {
  const words = wordsOf(name);
  const known = timeNameScore(words);
  if (known !== undefined) return known;
  const own = timeNameScore(wordsOf(name.split('.').at(-1) ?? ''));
  const isTime = words.some((word) => TIME_WORDS.has(word) || /(time|date|stamp)$/.test(word));
  if (!isTime) return 0;
  const others = words.filter((word) => OTHER_TIMES.has(word)).length;
  const score = own === undefined ? 72 : own - 10;
  return Math.max(5, score - 25 * others);
}

/** The score of a known name, also of one that ends in a zone or a unit, as in `created_utc` and `time_us`. */
function timeNameScore(words: readonly string[]): NameScore | undefined {
  const known = TIME_NAMES.get(words.join('_'));
  if (known !== undefined || words.length < 2 || !ZONES_AND_UNITS.has(words.at(-1)!)) return known;
  const plain = TIME_NAMES.get(words.slice(0, -1).join('_'));
  return plain === undefined ? undefined : plain - 4;
}

/** Returns whether times of that name are hardly ever those of an event: a birth, or something to come. */
export function isForeignTime(name: string): boolean {
  return wordsOf(name).some((word) =>
    /^(birth\w*|born|dob|expiry|expires|expired|expiration|due|next|deleted)$/.test(word),
  );
}

/** Returns whether a name is that of a time zone. */
export function isZoneName(name: string): boolean {
  return /^(time_?zone|tz)$/.test(wordsOf(name).join('_'));
}

/** Drops `str` of `id_str`, as Twitter writes an ID as a string. */
function withoutSuffix(words: string[]): string[] {
  return words.at(-1) === 'str' ? words.slice(0, -1) : words;
}
