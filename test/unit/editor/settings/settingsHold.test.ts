import assert from 'node:assert/strict';
import { SettingsHold } from '../../../../src/editor/settings/settingsHold.ts';

suite('Settings of a file with a mistake', () => {
  const waits = (looks: readonly (readonly [isBroken: boolean, configuration: string])[]): readonly boolean[] => {
    const hold = new SettingsHold();
    return looks.map(([isBroken, configuration]) => hold.mustWait(isBroken, configuration));
  };

  test('wait for its correction, and then until the editor has read it', () => {
    assert.deepEqual(
      waits([
        [false, 'good'],
        [true, 'part'],
        [true, 'other part'],
        [false, 'other part'],
        [false, 'good'],
        [false, 'good'],
      ]),
      [false, true, true, true, false, false],
    );
  });

  test('do not wait for ever if the correction changes nothing for the editor', () => {
    assert.deepEqual(waits([[true, 'good'], ...Array.from({ length: 6 }, () => [false, 'good'] as const)]), [
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
