import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import { dose } from '../../../../support/dose.ts';
import { fakeFiles } from '../../../../support/fakeFiles.ts';
import {
  CARRIERS,
  carried,
  DENIED_PATHS,
  LINKED_PATHS,
  LISTS,
  OUTSIDE_PATHS,
  PLACE,
  type Spelling,
  spellingOf,
  TREE,
} from './anyArgumentArbitraries.ts';
import { decider } from './verdicts.ts';

const RUNS = dose(5_000, 100_000);
const files = fakeFiles(TREE);
const decide = decider(files, PLACE, LISTS);

suite('Any argument of any name', () => {
  test('that names a denied file in any spelling keeps the call from being sent', async () => {
    const spelling = spellingOf(DENIED_PATHS);
    await fc.assert(
      fc.asyncProperty(carried(spelling), async ({ args, schema, how }) => {
        assert.match(await decide.call(args, schema), /^deny/, how.join(' '));
      }),
      { numRuns: RUNS },
    );
  }).timeout(dose(200_000, 1_200_000));

  test('that leads to a denied file by a link keeps the call from being sent', async () => {
    // Globs and wide letters do not name a link.
    const spelling = spellingOf(LINKED_PATHS).filter(
      ({ how }) => !/\b(?:wide|one|class|brace|upper),/.test(how.join(' ')),
    );
    await fc.assert(
      fc.asyncProperty(carried(spelling), async ({ args, schema, how }) => {
        assert.match(await decide.call(args, schema), /^deny/, how.join(' '));
      }),
      { numRuns: RUNS },
    );
  }).timeout(dose(200_000, 1_200_000));

  test('that leads out of what is allowed is at least asked about', async () => {
    // After a sign or with `\\`, a text is a path only if its first folder exists under exactly this name.
    const outside = spellingOf(OUTSIDE_PATHS).filter(({ how }) => {
      const isSure = !how.includes('not') && !how.join(' ').includes('backslash');
      return isSure || (how[0] === '/etc/passwd' && how.length === 2);
    });
    await fc.assert(
      fc.asyncProperty(carried(outside), async ({ args, schema, how }) => {
        assert.match(await decide.call(args, schema), /^(?:ask|deny)/, how.join(' '));
      }),
      { numRuns: RUNS },
    );
  }).timeout(dose(200_000, 1_200_000));
});

const NAME_LISTS = { whitelist: ['#general', '#dev-*', '@team'], blacklist: ['#admin-*', 'mail:boss*', '@root'] };
const names = decider(files, PLACE, NAME_LISTS);

const NAME_WAYS: Readonly<Record<string, (name: string) => string>> = {
  itself: (name) => name,
  upper: (name) => name.toUpperCase(),
  spaced: (name) => ` ${name} `,
  quoted: (name) => `"${name}"`,
  encoded: (name) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
  wide: (name) => name.replace(/^[#@]/, (sigil) => String.fromCharCode(sigil.charCodeAt(0) + 0xfee0)),
};
const nameSpelling = (name: fc.Arbitrary<string>): fc.Arbitrary<Spelling> =>
  fc
    .tuple(
      name,
      fc.constantFrom(...Object.keys(NAME_WAYS)),
      fc.constantFrom('itself', 'value', 'commas', 'spaces', 'json'),
    )
    .map(([start, way, carrier]) => {
      const said = NAME_WAYS[way]?.(start) ?? start;
      const text = /["\s]/.test(said) ? said : (CARRIERS[carrier]?.(said) ?? said);
      return { text, how: [start, way, carrier] };
    });
const DENIED_NAMES = fc.constantFrom('#admin-secret', '#admin-', 'mail:boss@example.org', '@root');
const label = fc.constantFrom('#general', '#dev-x', '@team');

suite('Any name in any argument or payload', () => {
  test('that is denied keeps the call from being sent', async () => {
    await fc.assert(
      fc.asyncProperty(carried(nameSpelling(DENIED_NAMES)), async ({ args, schema, how }) => {
        assert.match(await names.call({ channel: '#general', ...args }, schema), /^deny/, how.join(' '));
      }),
      { numRuns: RUNS },
    );
  }).timeout(dose(200_000, 1_200_000));

  test('that is denied keeps a scope from being approved, whatever its label is', async () => {
    await fc.assert(
      fc.asyncProperty(label, carried(nameSpelling(DENIED_NAMES)), async (said, { args, how }) => {
        assert.match(await names.elevate(said, { channel: said, ...args }), /^deny/, how.join(' '));
      }),
      { numRuns: RUNS },
    );
  }).timeout(dose(200_000, 1_200_000));

  test('that is another one than the label says is never approved without the user', async () => {
    const other = fc.oneof(fc.constantFrom('#other', 'other', '@stranger', 'mail:x', 'C0123', '/ws/a'), label);
    const wrapped = (inner: string, value: string, depth: number): JsonObject =>
      depth === 0 ? { [inner]: value } : { [inner]: [wrapped(inner, value, depth - 1)] };
    const member = fc.constantFrom('channel', 'to', 'where', 'id', 'name', 'zorb', 'user');
    await fc.assert(
      fc.asyncProperty(label, other, member, fc.nat(3), async (said, named, inner, depth) => {
        const verdict = await names.elevate(said, wrapped(inner, named, depth));
        if (said === named) assert.equal(verdict, 'allow');
        else assert.match(verdict, /^(?:ask|deny)/);
      }),
      { numRuns: RUNS },
    );
  }).timeout(dose(200_000, 1_200_000));
});
