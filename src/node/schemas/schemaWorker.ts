import { parentPort } from 'node:worker_threads';
import { isObject, type Json, type SchemaVerdict } from '../../core/index.ts';
import { compileJudge, type Judge } from './schemaJudge.ts';

if (parentPort === null) throw new Error('This file is the thread that checks schemas and does nothing by itself.');
const port = parentPort;
/** By the key of the schema, which is sent with its first value. */
const judges = new Map<unknown, Judge>();
port.on('message', (message: unknown) => {
  if (!isObject(message)) return;
  const { id, key, schema, value, forget } = message;
  if (forget === true) judges.clear();
  if (schema !== undefined) judges.set(key, compileJudge(jsonOf(schema)));
  port.postMessage({ id, verdict: judges.get(key)?.(travelled(value)) ?? UNKNOWN });
});
port.postMessage('ready');

const UNKNOWN: SchemaVerdict = { kind: 'undecided', why: 'The schema was not handed over.' };

/** As JSON: drops members that are undefined. */
function travelled(value: unknown): Json {
  return typeof value === 'object' ? jsonOf(JSON.parse(JSON.stringify(value))) : jsonOf(value);
}

/** Both were JSON before they were copied to this thread. */
function jsonOf(value: unknown): Json {
  return isJson(value) ? value : null;
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}
