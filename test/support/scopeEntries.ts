import assert from 'node:assert/strict';
import type { Json } from '../../src/core/base/json.ts';
import type { ScopeSettings } from '../../src/core/model/scope.ts';
import type { ServerDefinition, SettingsScope } from '../../src/core/model/server.ts';
import { decodeSettings } from '../../src/core/session/serverSettings.ts';
import type { SettingsEntry } from '../../src/core/session/settingsEntry.ts';

export type ScopeEntry = { readonly scopes?: Json; readonly scopeAdapters?: Json; readonly command?: string };

/** The entry of a user's server, layer by layer. */
export function scopeEntry(layers: Partial<Readonly<Record<SettingsScope, ScopeEntry>>>): SettingsEntry {
  const order = ['user', 'workspace', 'folder'] as const;
  const { entries } = decodeSettings(
    order.flatMap((scope) => {
      const given = layers[scope];
      const command = scope === 'user' ? { command: 'x' } : {};
      return given === undefined && scope !== 'user'
        ? []
        : // Settings are JSON, in which no member is undefined.
          [{ scope, servers: { a: JSON.parse(JSON.stringify({ ...command, ...given })) as Json } }];
    }),
  );
  const [entry] = entries;
  assert.ok(entry !== undefined);
  return entry;
}

export function scopeDefinition(layers: Parameters<typeof scopeEntry>[0]): ServerDefinition {
  const { definition, problems } = scopeEntry(layers);
  assert.ok(definition !== undefined, JSON.stringify(problems));
  return definition;
}

/** A line for each key and each tool: `files.*: +/a -/b` and `write: $.path`. */
export function scopeText({ lists, adapters }: ScopeSettings): readonly string[] {
  return [
    ...Object.entries(lists).map(([key, { whitelist, blacklist, isBroken }]) =>
      [
        `${key}:`,
        ...whitelist.map((pattern) => `+${pattern}`),
        ...blacklist.map((pattern) => `-${pattern}`),
        ...(isBroken ? ['broken'] : []),
      ].join(' '),
    ),
    ...Object.entries(adapters).map(([tool, paths]) => `${tool} at ${JSON.stringify(paths)}`),
  ];
}
