import assert from 'node:assert/strict';
import type { ProtocolSettings } from '../../../../src/core/model/server.ts';
import type { EraVerdict } from '../../../../src/core/ports.ts';
import { LEGACY_VERDICT_MS, type OpeningFacts, planOpening } from '../../../../src/core/session/openingPlan.ts';

const NOW = 2 * LEGACY_VERDICT_MS;

function plan(
  protocol: Partial<ProtocolSettings>,
  connection: OpeningFacts['connection'],
  verdict?: Partial<EraVerdict>,
): string {
  const found = verdict && { fingerprint: 'f', era: 'legacy' as const, mcpl: false, at: NOW, ...verdict };
  const decided = planOpening({
    protocol: { era: 'auto', dialect: 'auto', mcpl: 'auto', ...protocol },
    connection,
    verdict: found,
    now: NOW,
  });
  return Object.values(decided).join(' ');
}

const stdio = { kind: 'stdio' } as const;
const http = { kind: 'remote', transport: 'auto', url: 'https://a.test/mcp' } as const;

suite('How a server is opened', () => {
  test('the table of all cases', () => {
    const rows = {
      'nothing known, process': plan({}, stdio),
      'nothing known, address': plan({}, http),
      'nothing known, HTTP by settings': plan({}, { ...http, transport: 'http' }),
      'nothing known, HTTP+SSE by settings': plan({}, { ...http, transport: 'sse' }),
      'nothing known, WebSocket': plan({}, { ...http, url: 'WSS://a.test' }),
      'settings say modern': plan({ era: 'modern' }, stdio, { era: 'legacy' }),
      'settings say legacy': plan({ era: 'legacy' }, http, { era: 'modern' }),
      'settings say dialect': plan({ dialect: 'force' }, stdio),
      'settings say MCPL': plan({ mcpl: '0.4' }, stdio, { era: 'modern' }),
      'MCPL was seen': plan({}, http, { era: 'modern', mcpl: true }),
      'MCPL was seen and is switched off': plan({ mcpl: 'off' }, http, { era: 'modern', mcpl: true }),
      'found to be modern, long ago': plan({}, stdio, { era: 'modern', at: 0 }),
      'found to be legacy': plan({}, stdio, { at: NOW - LEGACY_VERDICT_MS + 1 }),
      'found to be legacy, long ago': plan({}, stdio, { at: NOW - LEGACY_VERDICT_MS }),
      'found to be legacy in the future': plan({}, stdio, { at: NOW + 1 }),
    };
    assert.deepEqual(rows, {
      'nothing known, process': 'probe false',
      'nothing known, address': 'probe false',
      'nothing known, HTTP by settings': 'probe false',
      'nothing known, HTTP+SSE by settings': 'initialize true',
      'nothing known, WebSocket': 'initialize true',
      'settings say modern': 'stateless',
      'settings say legacy': 'initialize false',
      'settings say dialect': 'initialize false',
      'settings say MCPL': 'initialize true',
      'MCPL was seen': 'initialize true',
      'MCPL was seen and is switched off': 'probe true',
      'found to be modern, long ago': 'probe true',
      'found to be legacy': 'initialize true',
      'found to be legacy, long ago': 'probe false',
      'found to be legacy in the future': 'probe false',
    });
  });
});
