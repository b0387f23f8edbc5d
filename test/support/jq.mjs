#!/usr/bin/env node
// jq for tests, on machines that have none: the real one, compiled to WebAssembly.
import { text } from 'node:stream/consumers';
import jq from 'jq-wasm';

const words = process.argv.slice(2);
const flags = words.filter((word) => word.startsWith('-'));
const [filter] = words.filter((word) => !word.startsWith('-'));
console.log(await jq.raw(await text(process.stdin), filter, flags));
