import { parentPort } from 'node:worker_threads';
import { isObject, type Json, type SchemaVerdict } from '../../core/index.ts';
import { compileJudge, type Judge } from './schemaJudge.ts';

if (parentPort === null) throw new Error('This file is the thread that checks schemas and does nothing by itself.');
const port = parentPort;
/** By the key of the schema: it comes with its first value, and is compiled once. */
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

/** As it is on the wire: members that are undefined do not travel. */
function travelled(value: unknown): Json {
  return typeof value === 'object' ? jsonOf(JSON.parse(JSON.stringify(value))) : jsonOf(value);
}

/** Both were JSON when they were handed over, and copying keeps them so. */
function jsonOf(value: unknown): Json {
  return isJson(value) ? value : null;
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}
