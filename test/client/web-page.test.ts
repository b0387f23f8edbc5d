import { expect, it } from 'vitest';
import { webPage } from '../../src/client/web-page.ts';

it('describes a web page by its title, and no other body', () => {
  const described = (title: string) => `the response is a web page${title} that is not from the service`;
  expect(webPage('\n<!DOCTYPE html><HTML><title lang="de">\n  Log \n in </title>')).toBe(
    described(' ("Log in")'),
  );
  expect(webPage('<html><title> </title>')).toBe(described(''));
  expect(webPage('<html><body>')).toBe(described(''));
  expect(webPage('{"html":"<html>"}')).toBeUndefined();
  expect(webPage('')).toBeUndefined();
});

it('stays fast on hostile pages', () => {
  for (const part of ['<title', '<title> ', ' ', '<title>a'])
    expect(webPage(`<html>${part.repeat(4_000_000 / part.length)}`)).toContain('a web page');
});
