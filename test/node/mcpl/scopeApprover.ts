import { createNodeHost } from '../../../src/cli/nodeHost.ts';
import { isJsonObject, parseJson } from '../../../src/core/index.ts';

/** A host in a separate process whose user allows everything in the workspace, until it is killed. */
const [given = ''] = process.argv.slice(2);
const options = parseJson(given);
if (!isJsonObject(options)) throw new Error('Say which servers, folder and file.');
const { servers, folder, storageFile } = options;
const host = createNodeHost({
  servers: isJsonObject(servers) ? servers : {},
  folders: [String(folder)],
  onStartQuestion: () => Promise.resolve('start'),
  storageFile: String(storageFile),
});
host.approvals.onDidAsk(({ id }) => void host.approvals.answer(id, 'workspace'));
await host.start('case');
