import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { ApiError, TransportError } from '../../client/errors.ts';
import type { LockUnusable } from '../../kit/files/file-lock.ts';
import { describeFileProblem } from '../../kit/files/file-trouble.ts';
import type { ForeignFile } from '../../kit/files/own-file.ts';
import { shell, shellPath, shellWord } from '../../kit/shell.ts';
import type { ProfilesUnusable } from '../../profiles/profiles.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { fileError } from './file-error.ts';
import { fromApi, fromTransport } from './service-error.ts';
import { SvcError } from './svc-error.ts';

/** Turns any thrown value into an SvcError with a message and a hint. */
export function toSvcError(error: unknown, debug: boolean): SvcError {
  if (error instanceof SvcError) return error;
  const named = error as Error & NodeJS.ErrnoException;
  // Compared by name: `instanceof` would load the client and the service.
  switch (named?.name) {
    case 'ApiError':
      return fromApi(error as ApiError);
    case 'AbortError':
      return new SvcError('interrupted', 'interrupted', {
        hint: (invocation) => invocation.rerunWith(),
        cause: error,
      });
    case 'TransportError':
      return fromTransport(error as TransportError);
    case 'LockUnusable': {
      const { path, held, missing, cause } = error as LockUnusable;
      if (/^SQLITE_(FULL|IOERR)/.test(String((cause as { code?: unknown })?.code)))
        return new SvcError('disk', `${path} cannot be written (${(cause as Error).message})`, {
          hint: (invocation) => writeHint(diskErrorCode(cause), '', invocation),
          cause: error,
        });
      if (missing) return notWritable(named.message, path, 'SVC_CONFIG_DIR', error);
      return new SvcError(held ? 'locked' : 'data', named.message, {
        hint: held
          ? (invocation) => `wait for it, then: ${invocation.rerunWith()}`
          : `it holds nothing: rm -r ${shellWord(path)}`,
        cause: error,
      });
    }
    case 'ForeignFile': {
      const { path } = error as ForeignFile;
      return new SvcError('data', named.message, {
        hint: (invocation) =>
          `name the folder of the file itself: SVC_CONFIG_DIR="$(dirname "$(realpath ${shellWord(path)})")" ${invocation.rerunWith()}`,
        cause: error,
      });
    }
    case 'StoreForeign':
      return new SvcError('data', named.message, {
        hint: (invocation) =>
          `keep the data of svc elsewhere: SVC_DATA_DIR="$HOME/svc-data" ${invocation.rerunWith()}`,
        cause: error,
      });
    case 'StoreNotOpened':
      return notWritable(named.message, (error as { path: string }).path, 'SVC_DATA_DIR', error);
    case 'StoreUnusable':
      return new SvcError('data', named.message, {
        hint: 'nothing was changed; `svc data reset --profile local --yes` deletes the data and starts empty',
        cause: error,
      });
    case 'DataKeyUnusable':
      return new SvcError('data', named.message, {
        hint: `nothing was changed; give the key of this data: read -rs SVC_DATA_KEY && export SVC_DATA_KEY${
          named.message.startsWith('SVC_DATA_KEY')
            ? '\nor use the key file beside it: unset SVC_DATA_KEY'
            : ''
        }`,
        cause: error,
      });
    case 'StoreUnavailable':
      return new SvcError('disk', named.message, {
        hint: (invocation) => writeHint(diskErrorCode(named.cause), '', invocation),
        cause: error,
      });
    case 'ChannelSettingError':
      return new SvcError('usage', named.message, {
        hint: 'correct the variable; `svc help environment` lists them all',
        cause: error,
      });
    case 'ProviderFileError':
      return new SvcError('usage', mistakesIn(named.message), {
        hint: (invocation) =>
          `correct that (docs/providers/index.md says how a provider is set up), then: ${invocation.rerunWith()}`,
        cause: error,
      });
    case 'CatalogError':
      return new SvcError('usage', `the catalog cannot be used: ${mistakesIn(named.message)}`, {
        hint: (invocation) =>
          `correct that (docs/catalog.md says what it may hold), then: ${invocation.rerunWith()}`,
        cause: error,
      });
    case 'RetentionTooShort': {
      const { least, byCatalog } = named as Error & { least: string; byCatalog: boolean };
      const rule = byCatalog ? ', or shorten what that rule of the catalog reads' : '';
      return new SvcError('usage', named.message, {
        hint: `keep them that long, with --retain ${least}${rule} (docs/operations.md)`,
        cause: error,
      });
    }
    case 'FaultsError':
      return new SvcError('usage', `the faults cannot be used: ${named.message}`, {
        hint: (invocation) =>
          `correct that (docs/fault-injection.md says what it may hold), then: ${invocation.rerunWith()}`,
        cause: error,
      });
    case 'TlsUnusable': {
      const { file, cause } = error as Error & { file: string };
      if ((cause as NodeJS.ErrnoException)?.syscall !== undefined) return fileError(file, cause);
      if (cause === undefined)
        return new SvcError('usage', named.message, {
          hint: shell`give a key without one, that only the service can read: openssl pkey -in ${file} -out key.pem`,
          cause: error,
        });
      return new SvcError('usage', named.message, {
        hint: shell`give the certificate with its chain and the key that belongs to it; look at it: openssl x509 -in ${file} -text`,
        cause: error,
      });
    }
    case 'PluginsUnusable': {
      const { file } = error as Error & { file: string };
      return new SvcError('data', named.message, {
        hint: `plugins cannot be used; move the list away, and install them again: mv ${shellWord(file)} ${shellWord(`${file}.broken`)}`,
        cause: error,
      });
    }
    case 'ProfilesUnusable': {
      const { file, cause } = error as ProfilesUnusable;
      if (typeof (cause as NodeJS.ErrnoException)?.code === 'string') return fileError(file, cause);
      return new SvcError('data', named.message, {
        hint: `nothing was changed; correct it, or move it away: mv ${shellWord(file)} ${shellWord(`${file}.broken`)}`,
        cause: error,
      });
    }
  }
  if (named?.syscall === 'mkdtemp') return noTemporaryFolder(named);
  if (named?.syscall === 'mkdir' && !DISK.has(named.code ?? ''))
    return new SvcError('usage', `the folder ${named.path} cannot be created: ${named.code}`, {
      hint: 'name a folder of yours; svc creates it: export SVC_DATA_DIR="$HOME/svc-files" (SVC_CONFIG_DIR for profiles)',
      cause: error,
    });
  // Failed reads are translated where they happen; what arrives here is a failed write.
  if (named?.code === 'ENOENT' && named.syscall === 'open') return fileError(named.path!, error, 'write');
  if (typeof named?.code === 'string' && DISK.has(named.code)) {
    const { message, hint } =
      named.path === undefined
        ? { message: named.message, hint: 'df -h' }
        : describeFileProblem(named.path, error, 'write');
    return new SvcError('disk', message, {
      hint: (invocation) => writeHint(named.code, hint, invocation),
      cause: error,
    });
  }
  const message = debug ? (named?.stack ?? String(error)) : (named?.message ?? String(error));
  return new SvcError('unexpected', `unexpected: ${message}`, {
    hint: (invocation) =>
      debug ? 'please report this' : `please report it with its trace: ${invocation.rerunWith('--debug')}`,
    cause: error,
  });
}

const DISK = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EACCES',
  'EPERM',
  'EIO',
  'EMFILE',
  'EFBIG',
  'EISDIR',
  'ENOTDIR',
]);

/** Maps SQLite's error code of a failed write to that of the system. */
function diskErrorCode(cause: unknown): 'ENOSPC' | 'EROFS' | 'EIO' {
  const code = String((cause as { code?: unknown } | undefined)?.code);
  if (code.startsWith('SQLITE_FULL')) return 'ENOSPC';
  return code.startsWith('SQLITE_READONLY') ? 'EROFS' : 'EIO';
}

/** Returns the error for a file that cannot be opened below the folder that `variable` sets. */
function notWritable(message: string, path: string, variable: string, cause: unknown): SvcError {
  return new SvcError('data', message, {
    hint: `see who may write there: ls -ld ${shellPath(dirname(path))}\nor keep the files of svc elsewhere: export ${variable}="$HOME/svc-files"`,
    cause,
  });
}

function noTemporaryFolder(error: NodeJS.ErrnoException): SvcError {
  const { code = '', path = '' } = error;
  const folder = dirname(path);
  const words = `a temporary folder cannot be created in ${folder}: ${code}`;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new SvcError('disk', words, {
      hint: (invocation) => writeHint(code, '', invocation),
      cause: error,
    });
  if (folder !== tmpdir())
    return new SvcError('disk', `nothing can be written in ${folder}: ${code}`, {
      hint: `name a file in another folder, or see who may write there: ls -ld ${shellPath(folder)}`,
      cause: error,
    });
  return new SvcError('usage', words, {
    hint: (invocation) =>
      `name a folder that you may write to: export TMPDIR=/var/tmp, then: ${invocation.rerunWith()}`,
    cause: error,
  });
}

/** Returns the hint for a failed write, by error code; `look` is a command that shows the cause. */
function writeHint(code: string | undefined, look: string, invocation: Invocation): string {
  const then = `then: ${invocation.rerunWith()}`;
  switch (code) {
    case 'EMFILE':
      return `allow more open files (ulimit -n 4096), ${then}`;
    case 'EFBIG':
      return `allow larger files (ulimit -f unlimited), ${then}`;
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
    case 'EISDIR':
    case 'ENOTDIR':
      return `make it writable${look && ` (${look})`} or keep the files of svc elsewhere (SVC_DATA_DIR, SVC_CONFIG_DIR), ${then}`;
    case 'EIO':
      return `see to the disk (df -h; ulimit -f; dmesg), ${then}`;
    default:
      return `free some space (df -h), ${then}`;
  }
}

/** Mistakes of a file that are named. */
const MOST_MISTAKES = 5;

/** The first of the mistakes, one a line, and how many more there are. */
function mistakesIn(lines: string): string {
  const all = lines.split('\n');
  const more = all.length - MOST_MISTAKES;
  return [...all.slice(0, MOST_MISTAKES), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
