import { describe, expect, it } from 'vitest';
import { objectOf, queryOf } from '../../../src/features/api/fields.ts';

const none = () => {
  throw new Error('no file is to be read');
};
const typed = (...texts: string[]) => texts.map((text) => ({ text, typed: true }));
const raw = (...texts: string[]) => texts.map((text) => ({ text, typed: false }));

describe('fields', () => {
  it('become numbers, booleans and null only if typed and unchanged when printed', () => {
    expect(objectOf(raw('a=1', 'b=true', 'c=@x'), none)).toEqual({ a: '1', b: 'true', c: '@x' });
    expect(
      objectOf(
        typed('a=1', 'b=true', 'c=null', 'd=01', 'e=1.50', 'f=9007199254740993', 'g=-2.5', 'h='),
        none,
      ),
    ).toEqual({ a: 1, b: true, c: null, d: '01', e: '1.50', f: '9007199254740993', g: -2.5, h: '' });
  });

  it('nest and append', () => {
    expect(objectOf(typed('a[b][c]=1', 'a[b][d]=x=y', 'l[]=1', 'l[]=two', 'o[][p]=1'), none)).toEqual({
      a: { b: { c: 1, d: 'x=y' } },
      l: [1, 'two'],
      o: [{ p: 1 }],
    });
  });

  it('read files', () => {
    expect(objectOf(typed('a=@f.txt'), (file) => `content of ${file}`)).toEqual({ a: 'content of f.txt' });
  });

  it('do not set the prototype', () => {
    expect(JSON.stringify(objectOf(typed('__proto__[x]=1'), none))).toBe('{"__proto__":{"x":1}}');
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it.each([['a'], ['=1'], ['[a]=1'], ['a[=1']])('refuse %s', (text) => {
    expect(() => objectOf(typed(text), none)).toThrow(/name=value/);
  });

  it.each([
    ['a=1', 'a[b]=1'],
    ['a[]=1', 'a[b]=1'],
    ['a[b]=1', 'a[]=1'],
  ])('refuse %s beside %s', (...texts) => {
    expect(() => objectOf(typed(...texts), none)).toThrow(/conflicts with an earlier field/);
  });

  it('are added to a query unchanged', () => {
    expect(queryOf(typed('a=1', 'a=x y', 'b[c]=='))).toEqual([
      ['a', '1'],
      ['a', 'x y'],
      ['b[c]', '='],
    ]);
    expect(() => queryOf(typed('a'))).toThrow(/name=value/);
  });
});
