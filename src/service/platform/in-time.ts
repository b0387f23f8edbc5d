/** Runs `work` and resolves when it has ended, or after `ms` ms while it still runs: then `onLate` is called first. */
export async function inTime(work: () => Promise<void>, ms: number, onLate: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      onLate();
      resolve();
    }, ms);
  });
  await Promise.race([work(), late]).finally(() => clearTimeout(timer));
}
