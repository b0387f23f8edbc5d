/**
 * Prepares a release: `npm run release -- patch|minor|major|X.Y.Z`. On a clean main branch it runs .ci/run, sets the
 * version in package.json, lock file, changelog and generated files, packs and tests the tarball in release/, commits
 * and tags. It publishes nothing, but prints the commands that do.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [step] = process.argv.slice(2);
if (!/^(patch|minor|major|\d+\.\d+\.\d+)$/.test(step ?? ''))
  fail('usage: npm run release -- patch|minor|major|X.Y.Z');
if (ask('git', 'status', '--porcelain') !== '') fail('there are uncommitted changes');
if (ask('git', 'branch', '--show-current') !== 'main') fail('a release must be made on main');
const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const remote = origin();
// Provenance names the repository, so package.json must name the right one.
if (remote !== undefined && slug(remote) !== slug(repository.url))
  fail(`package.json names ${repository.url}, but origin is ${remote}: correct package.json`);
const changelog = join(root, 'CHANGELOG.md');
const changes = readFileSync(changelog, 'utf8');
const UNRELEASED = /^## .*\(unreleased\)$/m;
if (!UNRELEASED.test(changes)) fail('CHANGELOG.md has no heading such as "## 1.2.0 (unreleased)"');

run(join(root, '.ci', 'run'));
run('npm', 'version', step, '--no-git-tag-version', '--allow-same-version');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const day = new Date().toISOString().slice(0, 10);
writeFileSync(changelog, changes.replace(UNRELEASED, `## ${version} (${day})`));
run('npm', 'run', 'generate');
run('npm', 'run', 'snapshots');
run('npm', 'run', 'package', '--', 'release');
run('git', 'commit', '--all', '--message', `Release ${version}`);
run('git', 'tag', `v${version}`, '--message', `Release ${version}`);
console.log(
  `\nv${version} is ready. To publish it:\n  git push origin main v${version}\n  npm publish ./release/svc-cli-${version}.tgz`,
);

function run(command, ...args) {
  try {
    execFileSync(command, args, { cwd: root, stdio: 'inherit' });
  } catch (error) {
    // The command has printed its own error.
    console.error(
      `\n${[command, ...args].join(' ')}: ${error.status === null ? error.message : `ended with ${error.status}`}`,
    );
    fail('no release was made; undo the changes of this run with: git restore .');
  }
}

/** Returns the URL of the remote `origin`; undefined if there is none. */
function origin() {
  return ask('git', 'remote').split('\n').includes('origin')
    ? ask('git', 'remote', 'get-url', 'origin')
    : undefined;
}

/** Returns `owner/name` of a repository URL. */
function slug(url) {
  return url
    .replace(/(\.git)?\/?$/, '')
    .split(/[/:]/)
    .slice(-2)
    .join('/')
    .toLowerCase();
}

function ask(command, ...args) {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trim();
}

function fail(why) {
  console.error(why);
  process.exit(2);
}
