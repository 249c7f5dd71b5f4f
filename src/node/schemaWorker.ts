import { parentPort } from 'node:worker_threads';
import { isObject, type Json } from '../core/index.ts';
import { judge } from './schemaJudge.ts';

if (parentPort === null) throw new Error('This file is the thread that checks schemas and does nothing by itself.');
const port = parentPort;
port.on('message', (message: unknown) => {
  if (isObject(message))
    port.postMessage({ id: message['id'], verdict: judge(jsonOf(message['schema']), jsonOf(message['value'])) });
});
port.postMessage('ready');

/** Both were JSON when they were handed over, and copying keeps them so. */
function jsonOf(value: unknown): Json {
  return isJson(value) ? value : null;
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}
