import type { World } from '../../../cli/terminal/world.ts';
import { addressFile } from '../input/address.ts';
import { type Downloads, typeName } from '../input/downloads.ts';
import { type Downloaded, download, downloadedBefore } from './download.ts';
import { removeOldDownloads } from './kept-downloads.ts';
import { DownloadProgress } from './progress.ts';

interface DownloadAllOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly world: Pick<World, 'clock' | 'stderr'>;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly quiet: boolean;
  readonly onNotice: (text: string) => void;
  /** An import goes on that has read some of them: a newer version would be another input. */
  readonly isResumed: boolean;
}

/** Downloads addresses, one after the other. Throws an SvcError. */
export async function downloadAll(
  addresses: ReadonlyMap<string, URL>,
  { dataDir, version, world, random, signal, quiet, onNotice, isResumed }: DownloadAllOptions,
): Promise<Downloads> {
  const found = new Map<string, { path: string; typeName: string }>();
  if (addresses.size === 0) return found;
  removeOldDownloads(dataDir, world.clock.now());
  for (const [name, url] of addresses) {
    const file = addressFile(name);
    const progress = new DownloadProgress({ stream: world.stderr, clock: world.clock, quiet, file });
    let downloaded: Downloaded | undefined = isResumed ? downloadedBefore(dataDir, name) : undefined;
    try {
      downloaded ??= await download(url, name, {
        ...{ dataDir, clock: world.clock, random, signal, userAgent: `svc/${version}` },
        onNotice: (text) => {
          progress.clear();
          onNotice(text);
        },
        onProgress: (bytes, size) => progress.update(bytes, size),
      });
    } finally {
      progress.clear();
    }
    found.set(name, { path: downloaded.path, typeName: typeName(file, downloaded.contentType) });
  }
  return found;
}
