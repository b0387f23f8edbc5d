/**
 * The parts of oclif that every command line needs, and no more: loading all of it costs as much as starting Node.
 * Commands take `Args` and `Flags` from here; Biome says so where one forgets.
 */
export * as Args from '@oclif/core/args';
export * as Flags from '@oclif/core/flags';
export { parse } from '@oclif/core/parser';
