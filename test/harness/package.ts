import { main, say } from './progress.ts';
import { packageExtension } from './vsix.ts';

await main(async () => {
  const { log } = await packageExtension();
  say(log);
  return 0;
});
