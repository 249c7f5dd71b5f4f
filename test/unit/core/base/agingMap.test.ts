import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AgingMap } from '../../../../src/core/base/agingMap.ts';

interface Item {
  readonly text: string;
}

suite('A map whose keys come and go', () => {
  const item = (text: string): Item => ({ text });
  const texts = (map: AgingMap<string, Item>): string => [...map.values()].map(({ text }) => text).join(' ');

  test('has the oldest first, also where one is replaced', () => {
    const map = new AgingMap<string, Item>(() => 2);
    for (const key of ['a', 'b', 'c', 'd', 'e']) map.add(key, item(key));
    map.replace('b', item('B'));
    map.replace('e', item('E'));
    map.replace('x', item('X'));
    assert.equal(texts(map), 'a B c d E');
    assert.deepEqual([map.size, map.get('b'), map.get('x')], [5, item('B'), undefined]);
  });

  test('goes on after all of it has gone', () => {
    const map = new AgingMap<string, Item>(() => 2);
    for (const key of ['a', 'b', 'c']) map.add(key, item(key));
    for (const key of ['b', 'a', 'c', 'c', 'x']) map.delete(key);
    assert.deepEqual([map.size, texts(map)], [0, '']);
    map.add('d', item('d'));
    assert.deepEqual([map.size, texts(map)], [1, 'd']);
  });

  test('may lose what comes next while it is gone through', () => {
    const map = new AgingMap<string, Item>(() => 2);
    for (const key of ['a', 'b', 'c', 'd', 'e']) map.add(key, item(key));
    const seen: string[] = [];
    for (const { text } of map.values()) {
      seen.push(text);
      map.delete(text);
      if (text === 'b') map.delete('d');
    }
    assert.deepEqual([seen.join(' '), map.size], ['a b c e', 0]);
  });

  test('is what a plain map is, however many each part takes', () => {
    const key = fc.integer({ min: 0, max: 20 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('put' as const), key, value: fc.nat(9) }),
      fc.record({ kind: fc.constant('delete' as const), key }),
      fc.record({ kind: fc.constant('size' as const), each: fc.integer({ min: 0, max: 6 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        let each = 3;
        const map = new AgingMap<number, Item>(() => each);
        const model = new Map<number, Item>();
        for (const taken of steps)
          if (taken.kind === 'size') each = taken.each;
          else if (taken.kind === 'delete') {
            map.delete(taken.key);
            model.delete(taken.key);
          } else {
            const value = item(`${taken.key}: ${taken.value}`);
            if (model.has(taken.key)) map.replace(taken.key, value);
            else map.add(taken.key, value);
            model.set(taken.key, value);
          }
        assert.deepEqual([...map.values()], [...model.values()]);
        assert.equal(map.size, model.size);
        for (let at = 0; at <= 20; at++) assert.equal(map.get(at), model.get(at));
      }),
    );
  });
});
