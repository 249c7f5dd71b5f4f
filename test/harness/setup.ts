import { ensureEditor } from './editorCache.ts';
import { endEverything, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';
import { ensureSystem } from './systemPackages.ts';

onInterrupt(endEverything);

await main(async () => {
  await ensureEditor();
  await ensureSystem(['browser']);
  say('Everything is set up.');
  return 0;
});
