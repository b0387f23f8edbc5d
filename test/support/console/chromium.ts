import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** The project: also a benchmark, which is bundled elsewhere, starts here. */
const ROOT = process.cwd();

interface Installed {
  readonly path: string;
  readonly env: Record<string, string>;
}

/** Of these, only those of fixed width are used, so that pages look the same on most machines. */
const MACHINE_FONTS = '/usr/share/fonts';

/** A Chromium of the machine, for processors that the registry has none for. */
const OWN = process.env.SVC_TEST_CHROMIUM;

/** Whether the page can be tested here. Said once for each worker process where it cannot. */
export const hasChromium = OWN !== undefined || (process.platform === 'linux' && process.arch === 'x64');
if (!hasChromium)
  console.warn(
    `SKIPPED: the console's page is not tested on ${process.platform} ${process.arch}; set SVC_TEST_CHROMIUM to the path of a Chromium`,
  );

let running: Promise<Browser> | undefined;

/** The browser of this worker process, which its test files share. It ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  running ??= launch();
  return running;
}

/** What a test waits for in a page comes when the machine has time for it. */
const PATIENCE_MS = 100_000;

/** Opens a context of its own in the browser that the tests of a process share. */
export async function newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await sharedBrowser()).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Chromium itself was seen to crash while it started (SIGSEGV, once in many hundred starts). */
const LAUNCHES = 3;

async function launch(): Promise<Browser> {
  const { path, env } = OWN === undefined ? fromRegistry() : { path: OWN, env: {} };
  const options = {
    executablePath: path,
    args: ['--no-sandbox'],
    env: { ...(process.env as Record<string, string>), ...env },
  };
  for (let attempt = 1; ; attempt++)
    try {
      return await chromium.launch(options);
    } catch (error) {
      if (attempt === LAUNCHES) throw error;
      console.warn(`Chromium did not start, which is tried again: ${(error as Error).message}`);
    }
}

/** Extracts the Chromium of the package once per machine; processes that do so at the same time do not disturb each other. */
function fromRegistry(): Installed {
  const { version } = JSON.parse(
    readFileSync(join(ROOT, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'),
  ) as { version: string };
  const cache = join(ROOT, 'node_modules', '.cache');
  const folder = join(cache, `svc-chromium-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const fresh = mkdtempSync(`${folder}-`);
    // In a process of its own: the package reads the environment when it is imported, and changes it.
    execFileSync(
      process.execPath,
      ['--input-type=module', '-e', "await (await import('@sparticuz/chromium')).default.executablePath()"],
      { cwd: ROOT, env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' } },
    );
    // The one of the package names fixed folders, and has no font of fixed width.
    const fonts = [join(folder, 'fonts'), MACHINE_FONTS].map((dir) => `<dir>${dir}</dir>`).join('');
    const chosen = `<acceptfont><glob>*Mono*</glob></acceptfont><rejectfont><glob>${MACHINE_FONTS}/*.*</glob></rejectfont>`;
    writeFileSync(
      join(fresh, 'fonts', 'fonts.conf'),
      `<fontconfig>${fonts}<selectfont>${chosen}</selectfont></fontconfig>`,
    );
    try {
      renameSync(fresh, folder);
    } catch {
      // Another process was first.
      rmSync(fresh, { recursive: true });
    }
  }
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  };
}
