/**
 * Spawning takes this thread 2 ms, on some machines 20: a hundred servers in one turn blocked it for 200 ms. Each spawn
 * therefore gets a separate turn.
 */
let last: Promise<void> = Promise.resolve();

export function spawnTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => void setImmediate(resolve)));
  return last;
}
