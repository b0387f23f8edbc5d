import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

interface Asset {
  readonly type: string;
  readonly body: Uint8Array;
}

/** The page as the build made it. */
export interface Assets {
  /** Undefined where the page was not built. */
  readonly page: Asset | undefined;
  /** By their names in the folder `assets`. */
  readonly files: ReadonlyMap<string, Asset>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the page into memory: a name of a request never becomes the name of a file. */
export function readAssets(folder: string): Assets {
  const read = (path: string): Asset | undefined => {
    const type = TYPES[extname(path)];
    return type === undefined || !existsSync(path) ? undefined : { type, body: readFileSync(path) };
  };
  const assets = join(folder, 'assets');
  const names = existsSync(assets) ? readdirSync(assets) : [];
  const files = names.flatMap((name) => {
    const asset = read(join(assets, name));
    return asset ? [[name, asset] as const] : [];
  });
  return { page: read(join(folder, 'index.html')), files: new Map(files) };
}
