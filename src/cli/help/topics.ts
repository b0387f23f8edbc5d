import type { Manifest } from '../command/manifest.ts';
import { type Paths, pathsOf } from '../connection/paths.ts';
import { EXIT_MEANINGS, type ExitCode } from '../errors/exit-codes.ts';
import { CLI_ERRORS } from '../errors/svc-error.ts';
import { cyan, type Text } from '../terminal/text.ts';
import { ENVIRONMENT } from './environment-variables.ts';
import { storedFiles } from './stored-files.ts';
import { flag } from './terms.ts';

export interface HelpSources {
  readonly manifest: Manifest;
  readonly paths: Paths;
}

/** A section of a help topic: terms and their meanings. */
interface HelpPart {
  readonly title: string;
  readonly entries: readonly (readonly [term: Text, meaning: string])[];
}

export interface HelpTopic {
  readonly name: string;
  readonly summary: string;
  readonly about: string;
  parts(sources: HelpSources): HelpPart[];
}

/** The topics of `svc help TOPIC`, generated from the lists that the program uses. */
export const HELP_TOPICS: readonly HelpTopic[] = [
  {
    name: 'exit-codes',
    summary: 'the exit codes and error codes of svc',
    about:
      'The same with and without --json. Under --json a failure prints {"error": {"code", "message", "hint", "requestId", "exitCode"}} on stderr; the codes below each exit code are those of `error.code`.',
    parts: () =>
      Object.entries(EXIT_MEANINGS).map(([exit, meaning]) => ({
        title: `${exit}: ${meaning}`,
        entries: Object.entries(CLI_ERRORS)
          .filter(([, error]) => error.exit === (Number(exit) as ExitCode))
          .map(([code, { means }]) => [cyan(code), means]),
      })),
  },
  {
    name: 'environment',
    summary: 'the environment variables that svc reads',
    about: 'The first of these that sets a value wins: flag, environment, profile.',
    parts: () =>
      Object.entries(ENVIRONMENT).map(([title, variables]) => ({
        title,
        entries: Object.entries(variables).map(([name, means]) => [cyan(name), means]),
      })),
  },
  {
    name: 'files',
    summary: 'the files that svc writes',
    about: 'Secrets are in files that only their owner can read.',
    parts: ({ paths }) => [
      { title: 'Files', entries: storedFiles(paths).map(({ path, holds }) => [cyan(path), holds]) },
    ],
  },
  {
    name: 'flags',
    summary: 'the flags of every command',
    about: 'A secret is never a flag: it comes from the environment, a file, standard input or a prompt.',
    parts: ({ manifest }) => [
      {
        title: 'Flags',
        entries: [
          ...Object.values(manifest.commands[0]!.flags)
            .filter(({ helpGroup }) => helpGroup === 'GLOBAL')
            .map(flag),
          [cyan('-h, --help'), 'help of the command, instead of running it'] as const,
        ],
      },
    ],
  },
];

/** Returns the sources of the help topics. */
export function helpSources(manifest: Manifest, world: Parameters<typeof pathsOf>[0]): HelpSources {
  return { manifest, paths: pathsOf(world) };
}
