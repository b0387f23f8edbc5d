import { expect, it } from 'vitest';
import { webPage } from '../../src/client/web-page.ts';

it('names a page by its title, and nothing else a page', () => {
  const came = (title: string) => `a web page${title} came, which is not from the service itself`;
  expect(webPage('\n<!DOCTYPE html><HTML><title lang="de">\n  Log \n in </title>')).toBe(came(' ("Log in")'));
  expect(webPage('<html><title> </title>')).toBe(came(''));
  expect(webPage('<html><body>')).toBe(came(''));
  expect(webPage('{"html":"<html>"}')).toBeUndefined();
  expect(webPage('')).toBeUndefined();
});

it('is not kept busy by a page made for it', () => {
  for (const part of ['<title', '<title> ', ' ', '<title>a'])
    expect(webPage(`<html>${part.repeat(4_000_000 / part.length)}`)).toContain('a web page');
});
