import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { JsonObject, OfferedTool, ServerSnapshot } from '../../../../src/core/index.ts';
import { offerVersion } from '../../../../src/editor/gateway/offerVersion.ts';
import { narrowestTransport } from '../../../../src/editor/settings/transportSetting.ts';
import { snapshot, running } from '../../../support/serverSnapshots.ts';

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

suite('The version of a server’s offer', () => {
  const server = (more: Partial<ServerSnapshot>): Promise<string> => offerVersion(snapshot('a', running(), more), ids);
  const version = (...tools: OfferedTool[]): Promise<string> => server({ tools });

  test('is short, and the same for the same offer', async () => {
    assert.match(await version(), /^[0-9a-f]{12}$/);
    assert.equal(await version(tool({ name: 'a', b: 1 })), await version(tool({ b: 1, name: 'a' })));
  });

  test('of thousands of tools is computed in slices, and depends on the last of them', async () => {
    const many = Array.from({ length: 2_000 }, (_, i) => tool({ name: `t${i}` }));
    let turns = 0;
    let next = setImmediate(function count() {
      turns++;
      next = setImmediate(count);
    });
    const first = await version(...many);
    clearImmediate(next);
    assert.equal(turns >= 3, true);
    const other = await version(...many.slice(0, -1), tool({ name: 'other' }));
    assert.notEqual(first, other);
  });

  test('changes with names, schemas, what is offered and what is approved', async () => {
    const all = await Promise.all([
      version(),
      version(tool({ name: 'a' })),
      version(tool({ name: 'b' })),
      version(tool({ name: 'a', inputSchema: { type: 'object' } })),
      version(tool({ name: 'a' }, true, true)),
      version(tool({ name: 'a' }), tool({ name: 'b' })),
    ]);
    assert.equal(new Set(all).size, all.length);
  });

  test('does not change with what is hidden', async () => {
    assert.equal(await version(tool({ name: 'a' }), tool({ name: 'b' }, false)), await version(tool({ name: 'a' })));
  });

  test('changes with all that the editor keeps, and with the sets that are on', async () => {
    const raw = { name: 'p' };
    const about = { title: undefined, description: undefined, icons: [], raw };
    const hinted = { mimeType: undefined, annotations: { audience: [], priority: undefined, lastModified: undefined } };
    const template = { uriTemplate: 'a:{b}', name: 'a:{b}', ...about, ...hinted };
    const set = { name: 'notes.edit', description: undefined, uses: [], rollback: false, hostState: false };
    const mcpl = (state: 'enabled' | 'disabled'): Partial<ServerSnapshot> =>
      ({ mcpl: { sets: [{ set, state }] } }) as unknown as Partial<ServerSnapshot>;
    const all = await Promise.all([
      version(),
      server({ prompts: [{ name: 'p', arguments: [], ...about }] }),
      server({ templates: [template] }),
      server({ capabilities: { prompts: {} } }),
      server(mcpl('enabled')),
    ]);
    assert.equal(new Set(all).size, all.length);
    const resource = { uri: 'a:1', name: 'a:1', size: 1, ...about, ...hinted };
    const same = await Promise.all([server({ resources: [resource] }), server(mcpl('disabled'))]);
    assert.deepEqual(same, [await version(), await version()]);
  });
});

suite('The transport between chats and servers', () => {
  test('is the narrowest of all settings, so that a repository cannot widen it', () => {
    const cases: readonly (readonly unknown[])[] = [
      [],
      ['loopback', undefined],
      ['socket', 'loopback'],
      ['loopback', 'off'],
      ['off', 'loopback', 'socket'],
      ['odd', 3, null],
      [undefined, 'socket'],
    ];
    assert.deepEqual(
      cases.map((values) => narrowestTransport(...values)),
      ['loopback', 'loopback', 'socket', 'off', 'off', 'loopback', 'socket'],
    );
  });
});
