import { expect, test } from 'vitest';
import { startServing } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

test('an idle svc serve on SQLite uses less than 120 MB', async () => {
  const program = await svcProgram();
  try {
    const home = tempDir();
    const argv = ['--metrics-port', '0'];
    const { process, ready } = startServing(program, { database: `${home}/service.db`, home, argv });
    let text = '';
    process.child.stdout!.on('data', (chunk) => {
      text += chunk;
    });
    const served = await ready;
    const { metricsUrl } = JSON.parse(text.split('\n')[0]!);
    const metrics = await (await fetch(metricsUrl)).text();
    const bytes = Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)![1]);
    expect(bytes).toBeGreaterThan(20_000_000);
    expect(bytes).toBeLessThan(120_000_000);
    expect(await served.stop()).toBe(0);
  } finally {
    program.release();
  }
});
