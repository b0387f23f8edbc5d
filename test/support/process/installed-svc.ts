import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { bundleProgram } from '../../../scripts/bundle.js';
import { startSession } from '../../../scripts/session.js';
import { tempDir } from '../temp.ts';
import { ROOT } from './run-svc.ts';

/** A place to type into: bash with `svc` in its path, in a folder that holds `examples`. */
export interface Desk {
  readonly home: string;
  readonly work: string;
  /** A folder of its path, for further programs. */
  readonly bin: string;
  readonly session: ReturnType<typeof startSession>;
}

/** Builds the program as it is now into a folder, with what it needs beside it but for its native part. */
export async function putProgram(folder: string): Promise<void> {
  for (const part of ['bin', 'package.json', 'oclif.manifest.json', 'plugin-manager'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  await bundleProgram(join(folder, 'dist'));
}

/** Builds the program for the tests of a file as it is packed, but inside node_modules: there the native part is found. */
export function installedSvc() {
  const program = join(ROOT, 'node_modules', '.cache', `svc-acceptance-${process.pid}`);
  beforeAll(async () => {
    mkdirSync(program, { recursive: true });
    await putProgram(program);
  }, 120_000);
  afterAll(() => rmSync(program, { recursive: true, force: true }));

  return {
    /** Opens a session in a fresh home; the caller closes it. */
    session(env: Record<string, string> = {}): Desk {
      const dir = tempDir();
      const [home, work, bin] = ['home', 'work', 'bin'].map((part) => join(dir, part)) as [
        string,
        string,
        string,
      ];
      for (const part of [home, work, bin]) mkdirSync(part);
      symlinkSync(join(program, 'bin', 'run.js'), join(bin, 'svc'));
      cpSync(join(ROOT, 'examples'), join(work, 'examples'), { recursive: true });
      const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
      const session = startSession({ cwd: work, env: { HOME: home, PATH, LANG: 'C.UTF-8', ...env } });
      return { home, work, bin, session };
    },
  };
}
