#!/usr/bin/env node
// `jq FLAG… FILTER [FILE…]` for tests, on machines that have none: the real one, compiled to WebAssembly.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import jq from 'jq-wasm';

// It takes each byte of its input by copying the rest of it: 18 s for what `svc commands --json` prints. A view does.
const { slice, subarray } = Uint8Array.prototype;
Uint8Array.prototype.slice = function (from, to) {
  return (from === 1 && to === undefined ? subarray : slice).call(this, from, to);
};

const words = process.argv.slice(2);
const flags = words.filter((word) => word.startsWith('-'));
const [filter, ...files] = words.filter((word) => !word.startsWith('-'));
const input =
  files.length > 0 ? files.map((file) => readFileSync(file, 'utf8')).join('') : await text(process.stdin);
console.log(await jq.raw(input, filter, flags));
