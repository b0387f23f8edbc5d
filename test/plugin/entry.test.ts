import { expect, expectTypeOf, it } from 'vitest';
import type { Context } from '../../src/cli/command/command.ts';
import type { Connection } from '../../src/cli/connection/connect.ts';
import type { ExitCode } from '../../src/cli/errors/exit-codes.ts';
import type { CliErrorCode } from '../../src/cli/errors/svc-error.ts';
import type { GlobalFlags } from '../../src/cli/flags/global-flags.ts';
import type { CallOptions, Client } from '../../src/client/client.ts';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import * as entry from '../../src/plugin/entry.ts';
import type * as declared from '../../types/plugin.d.ts';

type Declared = typeof declared;
type Statics = Exclude<keyof Declared['SvcCommand'], 'prototype'>;

it('svc-cli/plugin is what types/plugin.d.ts declares', () => {
  expect(Object.keys(entry).sort()).toEqual(['Args', 'Flags', 'SvcCommand', 'SvcError']);
  expectTypeOf<keyof Declared>().toEqualTypeOf<keyof typeof entry>();
  // The compiler checks these (`npm run types`).
  expectTypeOf<Omit<Context, 'connect'>>().toExtend<Omit<declared.Context, 'connect'>>();
  expectTypeOf<Omit<Connection, 'client'>>().toExtend<Omit<declared.Connection, 'client'>>();
  expectTypeOf<Exclude<EndpointName, 'streamEvents' | 'watchEvents'>>().toEqualTypeOf<declared.Operation>();
  expectTypeOf<declared.Operation>().toExtend<Parameters<Client['call']>[0]>();
  expectTypeOf<Omit<declared.CallOptions, 'body'>>().toExtend<CallOptions>();
  expectTypeOf<declared.ErrorCode>().toExtend<CliErrorCode>();
  // What a plugin does not get is named here, so that each new member is either declared or added to these.
  type NotOfPlugins = 'world' | 'root' | 'manifest' | 'invocation' | 'resolveSettings';
  expectTypeOf<Exclude<keyof Context, NotOfPlugins>>().toEqualTypeOf<keyof declared.Context>();
  type OfImports =
    | 'idempotent'
    | 'acceptAnyAnswer'
    | 'eventIds'
    | 'pacers'
    | 'limits'
    | 'service'
    | 'now'
    | 'close';
  expectTypeOf<Exclude<keyof Connection, OfImports>>().toEqualTypeOf<keyof declared.Connection>();
  type Inner = 'raw' | 'headers' | 'waiting' | 'onLost';
  expectTypeOf<Exclude<keyof CallOptions, Inner>>().toEqualTypeOf<keyof declared.CallOptions>();
  expectTypeOf<declared.GlobalFlags>().toEqualTypeOf<GlobalFlags>();
  expectTypeOf<declared.ExitCode>().toEqualTypeOf<ExitCode>();
  expectTypeOf<ConstructorParameters<Declared['SvcError']>>().toExtend<
    ConstructorParameters<typeof entry.SvcError>
  >();
  expectTypeOf<Pick<typeof entry.SvcCommand, Statics>>().toExtend<Pick<Declared['SvcCommand'], Statics>>();
});
