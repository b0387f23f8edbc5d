/**
 * Awaits statements that do not depend on each other's results. They run in order; PostgreSQL receives them in one round
 * trip. Rejects like Promise.all, but after all of them have settled: no statement runs after its transaction has ended.
 */
export async function pipeline<const T extends readonly unknown[]>(
  statements: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(statements);
  return Promise.all(statements);
}
