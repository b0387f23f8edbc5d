import { join } from 'node:path';
import { forgetImport, keptImports } from '../import/deliver/journal/list.ts';
import type { OwnParts } from './own.ts';
import { Refusal } from './refusal.ts';

/** The imports whose journals this machine keeps, as `svc imports list` and `svc imports forget` have them. */
export function importsOf(dataDir: string): OwnParts['imports'] {
  const folder = join(dataDir, 'imports');
  return {
    list: () => ({ imports: keptImports(folder) }),
    forget: (id) => {
      const found = keptImports(folder).find((one) => one.id === id);
      if (!found) throw new Refusal(404, 'not_found', 'No import has this identifier.');
      if (!forgetImport(folder, found))
        throw new Refusal(409, 'locked', 'The import is running: wait for its end, or interrupt it.');
      return { removed: [id] };
    },
  };
}
