/** Checks what integrators import from the package: `exports` in package.json. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const FIVE_MOVES = { type: 'campaign.clicked', decision: true };

/**
 * Installs the tarball into a fresh TypeScript project in strict mode and into one of plain Node.js, compiles, and makes
 * the five moves with a temporary service. `run` runs a program and returns its output.
 */
export function checkLibrary(tarball, place, run) {
  const project = join(place, 'library-project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  run('npm', ['install', '--no-audit', '--no-fund', tarball], project);
  const sources = join(root, 'scripts', 'library-project');
  for (const name of readdirSync(sources)) cpSync(join(sources, name), join(project, name));
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }),
  );
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', '.'], project);

  const svc = join(project, 'node_modules', 'svc-cli', 'bin', 'run.js');
  const output = (file) =>
    JSON.parse(run(process.execPath, [svc, 'serve', 'exec', '--', process.execPath, file], project));
  const { status, ...moved } = output('five-moves.js');
  if (JSON.stringify(moved) !== JSON.stringify(FIVE_MOVES) || typeof status !== 'string')
    throw new Error(`the TypeScript project got ${JSON.stringify({ ...moved, status })}`);
  const plain = JSON.stringify(output('plain.mjs'));
  if (plain !== JSON.stringify({ type: 'campaign.clicked', openapi: '3.1.0', webhooks: [] }))
    throw new Error(`plain Node.js got ${plain}`);
}

/** Strict, and with a check of the declarations themselves. */
const OPTIONS = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  types: ['node'],
  typeRoots: [join(root, 'node_modules', '@types')],
};
