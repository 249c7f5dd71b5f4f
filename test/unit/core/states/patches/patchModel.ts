import type { Json, JsonObject } from '../../../../../src/core/base/json.ts';

/**
 * JSON Patch as in the standards, without optimization. Nothing is modified, and members are pairs in a list, so that
 * no name is special.
 */
export type Model = Scalar | { readonly items: readonly Model[] } | { readonly members: readonly Member[] };
type Scalar = null | boolean | number | string;
/** Without a value, the member was removed by the current patch, and keeps its position if it is added again. */
type Member = readonly [key: string, value: Model | undefined];

export const modelOf = (value: Json): Model => {
  if (Array.isArray(value)) return { items: value.map((item: Json) => modelOf(item)) };
  if (typeof value !== 'object' || value === null) return value as Scalar;
  return { members: Object.entries(value).map(([key, member]) => [key, modelOf(member as Json)] as const) };
};

export const textOf = (model: Model): string => {
  if (typeof model !== 'object' || model === null) return JSON.stringify(model);
  if ('items' in model) return `[${model.items.map(textOf).join(',')}]`;
  return `{${there(model.members)
    .map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`)
    .join(',')}}`;
};

const there = (members: readonly Member[]): readonly (readonly [string, Model])[] =>
  members.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));

/** JavaScript objects have numeric names first, also after parsing. */
export const parsedText = (model: Model): string => JSON.stringify(JSON.parse(textOf(model)));

/** The number of characters, as the engine counts them. */
export const sizeOf = (model: Model): number => {
  if (typeof model === 'string') return model.length + 2;
  if (typeof model !== 'object' || model === null) return String(model).length;
  if ('items' in model) return model.items.reduce<number>((size, item) => size + sizeOf(item) + 1, 2);
  return there(model.members).reduce((size, [key, value]) => size + key.length + 4 + sizeOf(value), 2);
};

export const pathsOf = (model: Model, path = ''): readonly string[] => {
  if (typeof model !== 'object' || model === null) return [path];
  const children =
    'items' in model ? model.items.map((item, index) => [String(index), item] as const) : there(model.members);
  return [path, ...children.flatMap(([key, value]) => pathsOf(value, `${path}/${escape(key)}`))];
};

export const escape = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

class Refused extends Error {}

const refuse = (): never => {
  throw new Refused();
};

const tokensOf = (pointer: Json | undefined): readonly string[] => {
  if (typeof pointer !== 'string' || !/^(\/([^/~]|~[01])*)*$/u.test(pointer)) return refuse();
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) => token.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~')));
};

const indexIn = (token: string, items: readonly Model[]): number => {
  if (!/^(0|[1-9]\d*)$/.test(token) || Number(token) >= items.length) return refuse();
  return Number(token);
};

const get = (model: Model, [token, ...rest]: readonly string[]): Model => {
  if (token === undefined) return model;
  if (typeof model !== 'object' || model === null) return refuse();
  if ('items' in model) return get(model.items[indexIn(token, model.items)] as Model, rest);
  const member = there(model.members).find(([key]) => key === token);
  return member === undefined ? refuse() : get(member[1], rest);
};

type Change = (container: Exclude<Model, Scalar>, token: string) => Model;

/** The model with a change in the container of the pointer. */
const changed = (model: Model, [token, ...rest]: readonly string[], change: Change): Model => {
  if (token === undefined || typeof model !== 'object' || model === null) return refuse();
  if (rest.length === 0) return change(model, token);
  if ('items' in model) {
    const at = indexIn(token, model.items);
    return { items: model.items.map((item, index) => (index === at ? changed(item, rest, change) : item)) };
  }
  if (!there(model.members).some(([key]) => key === token)) return refuse();
  return {
    members: model.members.map(([k, v]) => [k, k === token && v !== undefined ? changed(v, rest, change) : v] as const),
  };
};

const put = (members: readonly Member[], name: string, value: Model): readonly Member[] =>
  members.some(([key]) => key === name)
    ? members.map(([key, old]) => [key, key === name ? value : old] as const)
    : [...members, [name, value] as const];

const added = (model: Model, path: readonly string[], value: Model): Model => {
  if (path.length === 0) return value;
  return changed(model, path, (container, token) => {
    if (!('items' in container)) return { members: put(container.members, token, value) };
    const { items } = container;
    const at = token === '-' || token === String(items.length) ? items.length : indexIn(token, items);
    return { items: [...items.slice(0, at), value, ...items.slice(at)] };
  });
};

const removed = (model: Model, path: readonly string[]): Model => {
  get(model, path);
  return changed(model, path, (container, token) =>
    'items' in container
      ? { items: container.items.filter((_, index) => index !== Number(token)) }
      : { members: container.members.map(([key, old]) => [key, key === token ? undefined : old] as const) },
  );
};

const replaced = (model: Model, path: readonly string[], value: Model): Model => {
  get(model, path);
  if (path.length === 0) return value;
  return changed(model, path, (container, token) =>
    'items' in container
      ? { items: container.items.map((item, index) => (index === Number(token) ? value : item)) }
      : { members: put(container.members, token, value) },
  );
};

const sorted = (model: Model): string => {
  if (typeof model !== 'object' || model === null) return JSON.stringify(model);
  if ('items' in model) return `[${model.items.map(sorted).join()}]`;
  return `{${there(model.members)
    .map(([key, value]) => `${JSON.stringify(key)}:${sorted(value)}`)
    .sort()
    .join()}}`;
};

const valueIn = ({ value }: JsonObject): Model => (value === undefined ? refuse() : modelOf(value));

const moved = (model: Model, from: readonly string[], path: readonly string[]): Model => {
  const value = get(model, from);
  const isInside = from.every((token, index) => token === path[index]);
  if (isInside) return from.length === path.length ? model : refuse();
  return added(removed(model, from), path, value);
};

const after = (model: Model, operation: JsonObject): Model => {
  const path = tokensOf(operation['path']);
  switch (operation['op']) {
    case 'add':
      return added(model, path, valueIn(operation));
    case 'remove':
      return path.length === 0 ? refuse() : removed(model, path);
    case 'replace':
      return replaced(model, path, valueIn(operation));
    case 'move':
      return moved(model, tokensOf(operation['from']), path);
    case 'copy':
      return added(model, path, settled(get(model, tokensOf(operation['from']))));
    case 'test':
      return sorted(get(model, path)) === sorted(valueIn(operation)) ? model : refuse();
    default:
      return refuse();
  }
};

/** At the end of a patch, and in a copy, removed members lose their position. */
export const settled = (model: Model): Model => modelOf(JSON.parse(textOf(model)) as Json);

/** The result of one operation. `undefined` if it must be refused. */
export const applied = (model: Model, operation: Json): Model | undefined => {
  try {
    if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) return undefined;
    return after(model, operation as JsonObject);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
};
