import { about, offers } from './about.ts';
import { ask, call } from './api.ts';

/** A hashId as the service makes them. */
const HASH_ID = /^[0-9a-f]{64}$/;
/** The beginning of one, as lists show it. */
const BEGINNING = /^[0-9a-f]{8,63}$/;

/** True for what may be the beginning of a hashId, or a userId. */
export const isBeginning = (name = ''): boolean => BEGINNING.test(name);

/** What is said of a beginning that is not resolved. */
export const NOT_LISTED = 'no hashId that begins so was listed here';

/** So many hashIds are remembered. */
const MOST_DRAWN = 5000;
/** The hashIds that the page has drawn, the latest last: in memory alone. */
const drawn = new Set<string>();

/** Remembers an id that is drawn, if it is a hashId, so that its beginning finds it. */
export function remember(id: string): void {
  if (!HASH_ID.test(id)) return;
  drawn.delete(id);
  drawn.add(id);
  if (drawn.size > MOST_DRAWN) drawn.delete(drawn.values().next().value!);
}

/** UserIds that users were found by, by hashId: in memory alone, so that they are gone with the page. */
const found = new Map<string, string>();

/** The userId that a user was found by while this page has been open. */
export const foundBy = (hashId: string): string | undefined => found.get(hashId);

/** True where a user is found by userId too: where the service runs on this machine. */
export const findsByUserId = (): boolean => about.value?.local === true;

/** What a field takes in which a user is named. */
export const namesOfUser = (): string => (findsByUserId() ? 'userId or hashId' : 'hashId');

/** The one whose hashId begins so, of those that the page has drawn and of the latest users. */
async function byBeginning(name: string): Promise<string | undefined> {
  if (!isBeginning(name)) return undefined;
  const alike = () => [...drawn].filter((hashId) => hashId.startsWith(name));
  if (alike().length === 0 && offers('listUsers'))
    for (const { hashId } of (await call('listUsers')).users) remember(hashId);
  return alike().length === 1 ? alike()[0] : undefined;
}

/** Returns the hashId of a user who is named by it, by its beginning if the page has drawn it or it is one of the latest users, or by a userId. Throws an error that says what to name where it cannot be found. */
export async function findUser(name: string): Promise<string> {
  if (HASH_ID.test(name)) return name;
  const begun = await byBeginning(name);
  if (begun !== undefined) return begun;
  if (!findsByUserId())
    throw new Error(
      `${isBeginning(name) ? 'No hashId that begins so was listed here' : 'A remote service finds users by their hashId alone'}: paste all of its 64 hexadecimal digits. The console on the machine of the service finds users by userId too.`,
    );
  const { hashId } = await ask<{ hashId: string }>('identify', { method: 'POST', body: { userId: name } });
  found.set(hashId, name);
  return hashId;
}
