import { about } from './about.ts';
import { ask } from './api.ts';

/** A hashId as the service makes them. */
const HASH_ID = /^[0-9a-f]{64}$/;

/** UserIds that users were found by, by hashId: in memory alone, so that they are gone with the page. */
const found = new Map<string, string>();

/** The userId that a user was found by while this page has been open. */
export const foundBy = (hashId: string): string | undefined => found.get(hashId);

/** True where a user is found by userId too: where the service runs on this machine. */
export const findsByUserId = (): boolean => about.value?.local === true;

/** What a field takes in which a user is named. */
export const namesOfUser = (): string => (findsByUserId() ? 'userId or hashId' : 'hashId');

/** Returns the hashId of a user who is named by it or by a userId. Throws an error that says what to name where it cannot be found. */
export async function findUser(name: string): Promise<string> {
  if (HASH_ID.test(name)) return name;
  if (!findsByUserId())
    throw new Error(
      'A service elsewhere finds users by their hashId alone, 64 hexadecimal digits: the one that it answered when the user was stored. The console on its own machine finds them by userId too.',
    );
  const { hashId } = await ask<{ hashId: string }>('identify', { method: 'POST', body: { userId: name } });
  found.set(hashId, name);
  return hashId;
}
