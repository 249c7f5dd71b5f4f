import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { JsonObject, OfferedTool } from '../../../src/core/index.ts';
import { offerVersion } from '../../../src/editor/offerVersion.ts';

const ids = { sha256: (text: string) => createHash('sha256').update(text).digest('hex') };
const hints = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

function tool(raw: JsonObject, offered = true, autoApproved = false): OfferedTool {
  const name = String(raw['name']);
  return {
    tool: {
      name,
      title: undefined,
      description: undefined,
      inputSchema: {},
      outputSchema: undefined,
      icons: [],
      taskSupport: 'forbidden',
      headerParams: [],
      hints,
      raw,
    },
    offered,
    autoApproved,
  };
}

suite('The version of what a server offers', () => {
  const version = (...tools: OfferedTool[]): string => offerVersion(tools, ids);

  test('is short, and the same for the same offer', () => {
    assert.match(version(), /^[0-9a-f]{12}$/);
    assert.equal(version(tool({ name: 'a', b: 1 })), version(tool({ b: 1, name: 'a' })));
  });

  test('changes with names, schemas, what is offered and what is approved', () => {
    const all = [
      version(),
      version(tool({ name: 'a' })),
      version(tool({ name: 'b' })),
      version(tool({ name: 'a', inputSchema: { type: 'object' } })),
      version(tool({ name: 'a' }, true, true)),
      version(tool({ name: 'a' }), tool({ name: 'b' })),
    ];
    assert.equal(new Set(all).size, all.length);
  });

  test('does not change with what is hidden', () => {
    assert.equal(version(tool({ name: 'a' }), tool({ name: 'b' }, false)), version(tool({ name: 'a' })));
  });
});
