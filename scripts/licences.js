import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/**
 * Returns the licenses of the packages in a bundle as one text, since most of them must be distributed with the code.
 * Throws for a package without a license.
 * @param {readonly string[]} modules paths of the files
 */
export function licencesOf(modules) {
  const packages = new Map();
  for (const path of modules) {
    if (!path.includes(`node_modules${sep}`)) continue;
    const dir = packageOf(path.replace(/^\0/, '').replace(/\?.*$/, ''));
    if (dir === undefined) continue;
    const { name, version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    packages.set(`${name} ${version}`, textOf(dir, name, license));
  }
  const line = '-'.repeat(80);
  return [
    'svc contains the following packages, under the licenses given with each.',
    ...[...packages]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]) => `${line}\n${name}\n${line}\n\n${text}`),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Returns the folder of the package that a file belongs to: the nearest with a name and a version in package.json. */
function packageOf(path) {
  for (let dir = dirname(path); dir.includes('node_modules'); dir = dirname(dir)) {
    const file = join(dir, 'package.json');
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, 'utf8'));
    if (name && version) return dir;
  }
  return undefined;
}

function textOf(dir, name, license) {
  const files = readdirSync(dir).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(dir, file), 'utf8').trim());
  if (texts.length > 0) return texts.join('\n\n');
  if (!license) throw new Error(`the package ${name} names no license`);
  return `License: ${license}`;
}
