import { readdir } from 'node:fs/promises';
import { join, posix, resolve, sep, win32 } from 'node:path';

/** Folders in a path are separated by a backslash, too. */
export const WINDOWS = sep === '\\';

/** Returns whether a name that is not a file is a pattern. */
export function isGlob(name: string): boolean {
  return /[*?]|\[[^\]]+\]/.test(name);
}

/** Returns a path with `/` between its folders. */
export function slashed(path: string, windows = WINDOWS): string {
  return windows ? path.replaceAll('\\', '/') : path;
}

/** Returns the folder before the first wildcard of a pattern, with its separator; empty if there is none. */
export function folderOfPattern(pattern: string, windows = WINDOWS): string {
  return pattern.slice(0, slashed(pattern, windows).replace(/[^/]*[*?[].*$/s, '').length);
}

/** Divides a pattern into its root, which is empty for a relative one, and the names below it. */
export function patternParts(pattern: string, windows = WINDOWS): { root: string; parts: string[] } {
  const { root } = (windows ? win32 : posix).parse(pattern);
  const parts = slashed(pattern.slice(root.length), windows).split('/');
  return { root, parts: parts.filter((part) => part !== '') };
}

/** Returns the files that a pattern matches: `*`, `?`, `[a-z]`, and `**` for any folders. Hidden files match no wildcard. */
export async function globFiles(pattern: string, cwd: string): Promise<string[]> {
  const { root, parts } = patternParts(pattern);
  return within(root, parts, cwd);
}

async function within(folder: string, parts: readonly string[], cwd: string): Promise<string[]> {
  const [part, ...rest] = parts;
  if (part === undefined) return [];
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(() => []);
  if (part === '**') {
    const found = await within(folder, rest, cwd);
    for (const entry of entries)
      if (entry.isDirectory() && !entry.name.startsWith('.'))
        found.push(...(await within(join(folder, entry.name), parts, cwd)));
    return found;
  }
  if (!isGlob(part)) {
    const path = join(folder, part);
    if (rest.length > 0) return within(path, rest, cwd);
    return entries.some((entry) => entry.name === part && !entry.isDirectory()) ? [path] : [];
  }
  const expression = expressionOf(part);
  const found: string[] = [];
  for (const entry of entries) {
    if (!expression.test(entry.name) || (entry.name.startsWith('.') && !part.startsWith('.'))) continue;
    const path = join(folder, entry.name);
    if (rest.length > 0) found.push(...(await within(path, rest, cwd)));
    else if (!entry.isDirectory()) found.push(path);
  }
  return found;
}

function expressionOf(part: string): RegExp {
  const source = part.replace(/\[!?[^\]]+\]|[*?]|[\\^$.|+(){}[\]]/g, (found) => {
    if (found === '*') return '[^/]*';
    if (found === '?') return '[^/]';
    if (found.length > 1) return found.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
    return `\\${found}`;
  });
  return new RegExp(`^${source}$`, 's');
}
