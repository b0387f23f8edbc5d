import * as z from 'zod/mini';
import { about } from '../contract/parts.ts';
import { text, textOrNull, time, timeOrNull } from './fields.ts';

const mode = () => about('Whether its notifications leave the service.', z.enum(['live', 'test']));
const kind = () =>
  about(
    'Kind of the key: the mode of its workspace for a server key.',
    z.enum(['live', 'test', 'publishable']),
  );

const newKey = {
  keyId: text('Identifier of the key.'),
  key: text('The key: printed this once.'),
  apiKey: text('The same, by the name that the ready line of `serve` gives it.'),
  kind: kind(),
  name: textOrNull('What it is for; null if nobody said so.'),
  workspace: text('The workspace.'),
};

export const KeyCreated = z.object(newKey);
export const KeyRotated = z.object({ ...newKey, replaces: text('Identifier of the key that ends.') });
export const KeyRevoked = z.object({
  keyId: text('Identifier of the key.'),
  workspace: text('The workspace.'),
  kind: kind(),
  state: about('The state of the key.', z.enum(['revoked'])),
});
export const KeysOutput = z.object({
  keys: about(
    'The keys, oldest first.',
    z.array(
      z.object({
        keyId: text('Identifier of the key.'),
        name: textOrNull('What it is for; null if nobody said so.'),
        workspace: text('The workspace.'),
        kind: kind(),
        state: about(
          '`ending` is a key that was rotated and is still valid.',
          z.enum(['active', 'ending', 'revoked']),
        ),
        createdAt: time('When it was created.'),
        lastUsedAt: timeOrNull('When a request last came with it, to about a minute; null if none did.'),
        endsAt: timeOrNull('When it ends or ended; null if it has no end, or was revoked at once.'),
      }),
    ),
  ),
});

export const WorkspaceCreated = z.object({
  workspace: text('Identifier of the workspace.'),
  mode: mode(),
  region: textOrNull('Its region.'),
  keyId: text('Identifier of its first key.'),
  key: text('The key: printed this once.'),
  apiKey: text('The same, by the name that the ready line of `serve` gives it.'),
});
export const WorkspaceUpdated = z.object({
  workspace: text('Identifier of the workspace.'),
  mode: mode(),
  region: textOrNull('Its region.'),
  origins: about('Origins of web pages that may use its publishable keys.', z.array(z.string())),
  appEvents: about(
    'The events that apps may track, with the properties that they may send, or null for any; null for any event.',
    z.nullable(z.record(z.string(), z.nullable(z.array(z.string())))),
  ),
  userTokens: about('Whether its publishable keys need a user token.', z.boolean()),
});
export const WorkspaceFrozen = z.object({
  workspace: text('Identifier of the workspace.'),
  frozenAt: timeOrNull('Since when it rests; null while it works.'),
});
export const WorkspacesOutput = z.object({
  workspaces: about(
    'The workspaces, oldest first.',
    z.array(
      z.object({
        workspace: text('Identifier of the workspace.'),
        mode: mode(),
        region: textOrNull('Its region.'),
        createdAt: time('When it was created.'),
        frozenAt: timeOrNull('Since when it rests; null while it works.'),
      }),
    ),
  ),
});
