import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import spawn from 'cross-spawn';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { ensurePrivateDir } from '../../kit/files/private-file.ts';
import { pluginFolder } from './installed.ts';

/** The installed size of the plugin manager, in MB; most of it is npm. */
const MANAGER_MB = 29;

export interface ManagerOptions {
  /** The folder of svc's package.json, which holds the manager's lock file. */
  readonly root: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly notice: (text: string) => void;
}

interface Finished {
  readonly code: number;
  /** Its standard output and error, in order of arrival. */
  readonly output: string;
}

/**
 * Runs @oclif/plugin-plugins in a process of its own, so that what npm prints does not reach standard output. Fetches it
 * first if this version of it is not there yet. Throws failed with the last words of its output.
 */
export async function managePlugins(args: readonly string[], options: ManagerOptions): Promise<void> {
  const manager = await ensureManager(options);
  const folder = pluginFolder(options.dataDir);
  ensurePrivateDir(folder);
  const { code, output } = await runNode([join(manager, 'run.js'), ...args], {
    ...options,
    cwd: folder,
    // oclif keeps user plugins in its data folder.
    env: { ...options.env, SVC_DATA_DIR: folder },
  });
  if (options.signal.aborted) throw new DOMException('interrupted', 'AbortError');
  if (code !== 0)
    throw new SvcError('failed', `the plugin manager failed: ${lastWords(output)}`, {
      hint: (invocation) => `correct that, then: ${invocation.rerunWith()}`,
    });
}

/** Returns the folder of the plugin manager, which is fetched with the versions and checksums of the lock file. */
async function ensureManager(options: ManagerOptions): Promise<string> {
  const { root, dataDir, notice } = options;
  const source = join(root, 'plugin-manager');
  const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const version: string = dependencies['@oclif/plugin-plugins'];
  const manager = join(dataDir, 'plugin-manager', version);
  if (existsSync(manager)) return manager;
  notice(
    `fetching the plugin manager (@oclif/plugin-plugins ${version} with npm, ${MANAGER_MB} MB, once) into ${manager}`,
  );
  ensurePrivateDir(dirname(manager));
  const folder = mkdtempSync(`${manager}-`);
  try {
    for (const file of ['package.json', 'package-lock.json', 'run.js'])
      cpSync(join(source, file), join(folder, file));
    const { code, output } = await runNpm(
      ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'],
      { ...options, cwd: folder },
    );
    if (options.signal.aborted) throw new DOMException('interrupted', 'AbortError');
    if (code !== 0)
      throw new SvcError(
        /EINTEGRITY/.test(output) ? 'failed' : 'unreachable',
        `the plugin manager cannot be fetched: ${lastWords(output)}`,
        { hint: (invocation) => `test the registry: npm ping\nthen: ${invocation.rerunWith()}` },
      );
    install(folder, manager);
    return manager;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts the complete folder in its place; another process may have done so at the same time. */
function install(folder: string, manager: string): void {
  try {
    renameSync(folder, manager);
  } catch (error) {
    if (!existsSync(manager)) throw error;
  }
}

interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Runs npm: the one beside this Node.js, or else that of the path. Throws usage where there is none. */
function runNpm(args: readonly string[], options: RunOptions): Promise<Finished> {
  const beside = dirname(process.execPath);
  const scripts = [join(beside, '..', 'lib'), beside].map((dir) =>
    join(dir, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  );
  const script = scripts.find((file) => existsSync(file));
  if (script !== undefined) return runNode([script, ...args], options);
  return run('npm', args, options);
}

function runNode(args: readonly string[], options: RunOptions): Promise<Finished> {
  return run(process.execPath, args, options);
}

function run(command: string, args: readonly string[], { cwd, env, signal }: RunOptions): Promise<Finished> {
  mkdirSync(cwd, { recursive: true });
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-64 * 1024);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    const stop = () => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new SvcError('usage', `${command} is needed for plugins, and is not in the path`, {
              hint: 'install npm with Node.js: https://nodejs.org/en/download',
              cause: error,
            })
          : error,
      ),
    );
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** A line that names the cause of a failure. */
const CAUSE = /reason:|\bE[A-Z]{4,}\b|integrity|does not exist|not found|invalid/i;

/** Returns the cause in the output of npm or oclif, on one line. */
function lastWords(output: string): string {
  const lines = output
    .replace(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '')
    .split(/[\r\n]+/)
    .map((line) => line.replace(/^(?:npm error|[\s›»]*Error:|[\s›»]+)\s*/i, '').trim())
    .filter((line) => line !== '' && !/^(A complete log|code |npm warn)/.test(line));
  return lines.find((line) => CAUSE.test(line)) ?? lines.at(-1) ?? 'no reason was given';
}
