#!/usr/bin/env node
// `jq FLAG… FILTER [FILE…]` for tests, on machines that have none: the real one, compiled to WebAssembly.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import jq from 'jq-wasm';

const words = process.argv.slice(2);
const flags = words.filter((word) => word.startsWith('-'));
const [filter, ...files] = words.filter((word) => !word.startsWith('-'));
const input =
  files.length > 0 ? files.map((file) => readFileSync(file, 'utf8')).join('') : await text(process.stdin);
console.log(await jq.raw(input, filter, flags));
