import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type ArgumentPath, parseArgumentPath } from '../../model/argumentPath.ts';
import type { Unreadable } from './pathText.ts';
import { type FoundTexts, TargetTexts } from './targetTexts.ts';

/** The texts that a tool's setting selects. An omitted argument names nothing. */
export function textsAt(adapter: readonly string[], args: JsonObject): FoundTexts | Unreadable {
  const texts = new TargetTexts();
  for (const written of adapter) {
    const path = parseArgumentPath(written);
    if (path === undefined) texts.refuse('The "scopeAdapters" setting of this tool cannot be read.');
    else follow(args, path, '/arguments', texts);
  }
  return texts.found;
}

function follow(value: Json | undefined, path: ArgumentPath, from: string, texts: TargetTexts): void {
  if (value === undefined || value === null || !texts.mayGoOn(0)) return;
  const [step, ...rest] = path;
  switch (step?.kind) {
    case undefined:
      take(value, from, texts);
      return;
    case 'member':
      if (!isJsonObject(value)) refuse(texts);
      else if (Object.hasOwn(value, step.name)) follow(value[step.name], rest, TargetTexts.at(from, step.name), texts);
      return;
    case 'item':
      if (isJsonArray(value)) follow(value[step.index], rest, `${from}/${step.index}`, texts);
      else refuse(texts);
      return;
    case 'items':
      if (isJsonArray(value)) value.forEach((item, index) => follow(item, rest, `${from}/${index}`, texts));
      else refuse(texts);
  }
}

function take(value: Json, from: string, texts: TargetTexts): void {
  if (typeof value === 'string') texts.add({ from, text: value });
  else if (!isJsonArray(value)) refuse(texts);
  else
    value.forEach((item, index) => {
      if (typeof item === 'string') texts.add({ from: `${from}/${index}`, text: item });
      else refuse(texts);
    });
}

/** It is unknown how a server would read a value that is not a text. */
function refuse(texts: TargetTexts): void {
  texts.refuse('Its arguments do not match the "scopeAdapters" setting of this tool.');
}
