import type { World } from '../../cli/terminal/world.ts';

/** A copy of the world whose data directory is `folder` and whose environment names no service. */
export function withDataDir(folder: string, world: World): World {
  const env = { ...world.env, SVC_DATA_DIR: folder, SVC_BASE_URL: undefined, SVC_PROFILE: undefined };
  return Object.create(world, { env: { value: env } }) as World;
}
