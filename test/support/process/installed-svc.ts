import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll } from 'vitest';
import { startSession } from '../../../scripts/session.js';
import { tempDir } from '../temp.ts';
import { builtProgram } from './built-svc.ts';
import { ROOT } from './run-svc.ts';

/** A place to type into: bash with `svc` in its path, in a folder that holds `examples`. */
export interface Desk {
  readonly home: string;
  readonly work: string;
  /** A folder of its path, for further programs. */
  readonly bin: string;
  readonly session: ReturnType<typeof startSession>;
}

/** The program for the tests of a file as it is packed. */
export function installedSvc() {
  let program: string;
  beforeAll(async () => {
    program = await builtProgram();
  }, 120_000);

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
