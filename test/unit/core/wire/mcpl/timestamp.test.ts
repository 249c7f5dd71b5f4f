import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isIsoTimestamp } from '../../../../../src/core/wire/mcpl/pushEvent.ts';
import { dose } from '../../../../support/dose.ts';

suite('The timestamp of an event', () => {
  test('may have any form of ISO 8601 that names a day', () => {
    const forms = [
      ...['2026-01-23T10:30:00Z', '2026-11-18T06:05:42.568966+00:00', '2026-01-23T10:30:00,5-03:30', '2026-01-23'],
      ...['2026-01-23T10', '2026-01-23T10:30', '2026-01-23T10:30:00', '2026-01-23T10.5+02', '2026-12-31T23:59:60Z'],
      ...[
        '2026-01-23T24:00:00Z',
        '2024-02-29T00:00Z',
        '2000-02-29',
        '+012026-01-23T10:30Z',
        '-000044-03-15',
        '0000-01-01',
      ],
      ...['20260123', '20260123T103000Z', '20260123T103000.25+0130', '2026-W04-5T10:30Z', '2026W045', '2026-365'],
      ...['2024-366', '2026023'],
    ];
    assert.deepEqual(
      forms.filter((text) => !isIsoTimestamp(text)),
      [],
    );
  });

  test('is refused in every other form', () => {
    const others = [
      ...['', ' ', 'now', 'yesterday', '1769164200', '1769164200000', 'Fri, 23 Jan 2026 10:30:00 GMT', '23.01.2026'],
      ...[
        '2026',
        '2026-01',
        '2026-W04',
        '01/23/2026',
        '2026/01/23',
        '2026-1-3',
        '2026-01-23 10:30:00',
        '2026-01-23t10:30z',
      ],
      ...['2026-13-01', '2026-00-10', '2026-01-00', '2026-01-32', '2026-04-31', '2025-02-29', '1900-02-29', '2026-366'],
      ...['2026-W00-1', '2026-W54-1', '2026-W04-8', '2026-000', '2026-01-23T', '2026-01-23T25:00', '2026-01-23T10:60'],
      ...['2026-01-23T10:30:61Z', '2026-01-23T24:00:01Z', '2026-01-23T24:00:00.1', '2026-01-23T10:30:00+24:00'],
      ...[
        '2026-01-23T10:30:00+1:00',
        '2026-01-23T10:30:00Z ',
        ' 2026-01-23',
        '2026-01-23\n',
        '2026-01-23T10:30:00Zjunk',
      ],
      ...['2026-01-23T1030Z', '20260123T10:30Z', '２０２６-01-23', '2026-01-23T10:30:00.Z', '026-01-23', '12026-01-23'],
      ...['2026-01-23T10:30:00+01:60', '2026-01-23Z', '2026-01-23T10:30:00Z\u202e'],
    ];
    assert.deepEqual(
      others.filter((text) => isIsoTimestamp(text)),
      [],
    );
  });

  test('is read as a date reads it, for all dates there are', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => isIsoTimestamp(date.toISOString())),
      { numRuns: dose(500, 50_000) },
    );
    const digits = (most: number): fc.Arbitrary<string> =>
      fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
    const parts = fc.tuple(digits(14), digits(33), digits(25), digits(61), digits(59));
    fc.assert(
      fc.property(parts, ([month, day, hour, minute, second]) => {
        const text = `2026-${month}-${day}T${hour}:${minute}:${second}Z`;
        const date = new Date(text);
        // JavaScript reads 30 February as 2 March.
        const isReal =
          !Number.isNaN(date.getTime()) && (hour === '24' || date.toISOString().startsWith(text.slice(0, 10)));
        const rolls = Number(day) > new Date(Date.UTC(2026, Number(month), 0)).getUTCDate();
        assert.equal(isIsoTimestamp(text), isReal && !rolls);
      }),
      { numRuns: dose(2_000, 100_000) },
    );
  });
});
