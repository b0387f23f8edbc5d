import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/process/run-svc.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Locked>>;
};

/** Returns what the lock file has where Node.js looks for a package from `place`, such as `node_modules/a`. */
function lockedFor(name: string, place: string): Locked | undefined {
  const here = packages[`${place === '' ? '' : `${place}/`}node_modules/${name}`];
  if (here !== undefined || place === '') return here;
  const parent = place.lastIndexOf('/node_modules/');
  return lockedFor(name, parent === -1 ? '' : place.slice(0, parent));
}

/** The binary packages of a platform are required in one exact version. */
const EXACT = /^\d+\.\d+\.\d+/;

it('the lock file lists every dependency, also the binaries of other platforms, which `npm ci` needs there', () => {
  const missing = Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([name, version]) => {
        const locked = lockedFor(name, place);
        return locked === undefined || (EXACT.test(version) && locked.version !== version);
      })
      .map(([name, version]) => `${place} needs ${name}@${version}`),
  );
  expect(missing, 'choose a version of the package that has all its binaries on the registry').toEqual([]);
});

it('the lock file has a checksum of every package', () => {
  const unchecked = Object.entries(packages).filter(([place, { integrity }]) => place !== '' && !integrity);
  expect(unchecked.map(([place]) => place)).toEqual([]);
});
