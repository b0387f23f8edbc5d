import { describe, expect, it, onTestFinished } from 'vitest';
import { missingLine, startSession } from '../../scripts/session.js';
import { tempDir } from '../support/temp.ts';

function session() {
  const started = startSession({ cwd: tempDir(), env: { PATH: process.env.PATH! } });
  onTestFinished(() => started.close());
  return started;
}

describe('a session, in which the README is run', () => {
  it('keeps variables and folders, and returns output and exit code', async () => {
    const { run } = session();
    expect(await run('x=1; mkdir d; cd d')).toEqual({ output: '', code: 0 });
    expect(await run('echo $x $(basename $PWD); echo oops >&2; false')).toEqual({
      output: '1 d\noops\n',
      code: 1,
    });
    expect(await run('cat <<END\ntwo\nlines\nEND')).toEqual({ output: 'two\nlines\n', code: 0 });
  });

  it('gives commands no input of the session', async () => {
    const { run } = session();
    expect(await run('cat')).toEqual({ output: '', code: 0 });
  });

  it('continues while a background process runs, and ends it', async () => {
    const { run, background, close } = session();
    const { output } = await background('echo $BASHPID; echo ready; sleep 600', 'ready');
    expect(await run('echo on')).toEqual({ output: 'on\n', code: 0 });
    await close();
    expect(() => process.kill(Number.parseInt(output, 10), 0)).toThrow(/ESRCH/);
  });

  it('fails where a command exits the session or hangs', async () => {
    await expect(session().run('exit 3')).rejects.toThrow(/ended the session/);
    await expect(session().run('echo so far; sleep 600', 500)).rejects.toThrow(
      /did not end within 0.5 s[\s\S]*so far/,
    );
  });
});

describe('the expected output of a block', () => {
  it.each([
    ['identifiers and numbers differ', 'dec_ab12 took 12 ms', 'dec_ff99 took 7 ms', undefined],
    ['frames and white space do not count', '│ a │ b │', 'a   b', undefined],
    ['… stands for anything', 'a … z', 'a b c z', undefined],
    ['other lines may stand between', 'a\nc', 'a\nb\nc', undefined],
    ['words count', 'accepted 5', 'rejected 5', 'accepted 5'],
    ['order counts', 'b\na', 'a\nb', 'a'],
    ['a line must be there', 'a', '', 'a'],
  ])('%s', (_, expected, output, missing) => {
    expect(missingLine(expected, output)).toBe(missing);
  });
});
