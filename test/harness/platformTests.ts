/** Tests of test/node, by file or folder, with the features they use that differ between versions of Node. */
export const platform: Readonly<Record<string, string>> = {
  'auth/discovery.test.ts': 'HTTP: redirects, TLS and bodies of an authorization server',
  'auth/realAuthorizationServer.test.ts': 'HTTP and Web Crypto, with a real authorization server',
  'auth/signIn.test.ts': 'sockets: the listener of the sign-in',
  'cases/framing.test.ts': 'pipes: split, long and broken lines',
  'cases/http.test.ts': 'HTTP: streams that end early',
  'cases/lifecycle.test.ts': 'processes: start, signals and end',
  'chatHooks.test.ts': 'processes and sockets of hooks',
  'childEnvironment.test.ts': 'the environment of processes',
  'cli.test.ts': 'the program: terminal, signals, exit codes',
  'cliLibrary.test.ts': 'the library in another program, with files and HTTP',
  'connector.test.ts': 'every transport once',
  'demo.test.ts': 'the demo server, which users start on their own Node',
  'demoFiles.test.ts': 'files of the demo server',
  'dialect.test.ts': 'pipes and web sockets',
  'fileNames.test.ts': 'real paths of files and links',
  'gatewayServer.test.ts': 'HTTP: the gateway server',
  'gatewaySocket.test.ts': 'sockets: abandoned and reused ones',
  'httpRedirects.test.ts': 'HTTP: redirects',
  'legacySse.test.ts': 'HTTP: streams of events',
  'nodePorts.test.ts': 'timers, random numbers and hashes',
  'processTree.test.ts': 'processes: lists and trees',
  'schemaChecker.test.ts': 'workers',
  'spawnRecords.test.ts': 'processes: leftovers of an earlier host',
  'statesDurability.test.ts': 'SQLite: a process that is killed while it records',
  'statesFile.test.ts': 'SQLite: limits and damage of the file of states',
  'statesNeverBlock.test.ts': 'workers: large states beside an event loop',
  'statesSalvage.test.ts': 'SQLite: a damaged file of states',
  'statesSteps.test.ts': 'SQLite: writing in steps, with several processes',
  'statesStore.test.ts': 'SQLite: the store of states',
  'stdio.test.ts': 'pipes',
  'stdioShutdown.test.ts': 'processes: the steps of a shutdown',
  'store.test.ts': 'SQLite and workers: the whole store',
  'storeBatch.test.ts': 'SQLite: transactions',
  'storeDurability.test.ts': 'SQLite: a process that is killed while it writes',
  'storeEvents.test.ts': 'SQLite: the rows of events',
  'storeFile.test.ts': 'SQLite: opening, locks and damage of the file',
  'storeSetAside.test.ts': 'files: renaming a damaged one',
  'storeStates.test.ts': 'SQLite: the rows of states, and old schemas',
  'streamableHttp.test.ts': 'HTTP: requests and streams',
  'streamableHttpNetwork.test.ts': 'HTTP: proxies, TLS and connections that break',
  'streamableHttpSession.test.ts': 'HTTP: sessions and resumed streams',
  'webSocket.test.ts': 'web sockets',
  'workspaceFiles.test.ts': 'files of a workspace',
};

/** Other tests of test/node, which only use the platform to run the host. */
export const hostOnly: Readonly<Record<string, string>> = {
  'auth/machine.test.ts': 'the client credentials grant, over the HTTP that the others test',
  'auth/renewal.test.ts': 'when tokens are renewed, over the HTTP that the others test',
  'auth/sharedWork.test.ts': 'computed',
  'benchClients.test.ts': 'clients of the benchmark, over pipes that the others test',
  'cases/cancelling.test.ts': 'rules of the protocol',
  'cases/dialect.test.ts': 'rules of the protocol',
  'cases/dialectHttp.test.ts': 'rules of the protocol',
  'cases/folders.test.ts': 'rules of the protocol',
  'cases/inputs.test.ts': 'rules of the protocol',
  'cases/listing.test.ts': 'rules of the protocol',
  'cases/offers.test.ts': 'rules of the protocol',
  'cases/openings.test.ts': 'rules of the protocol',
  'cases/stateless.test.ts': 'rules of the protocol',
  'cases/subscriptions.test.ts': 'rules of the protocol',
  'cases/tasks.test.ts': 'rules of the protocol',
  'cleanJson.test.ts': 'computed',
  'cliApprovals.test.ts': 'commands of the program that cli.test.ts starts',
  'cliDefinitions.test.ts': 'commands of the program that cli.test.ts starts',
  'cliLineage.test.ts': 'commands of the program that cli.test.ts starts',
  'cliMcpl.test.ts': 'commands of the program that cli.test.ts starts',
  'cliOffers.test.ts': 'commands of the program that cli.test.ts starts',
  'cliSignIn.test.ts': 'commands of the program that cli.test.ts starts',
  'demoMcpl.test.ts': 'what the demo server says',
  'demoSample.test.ts': 'what the sample workspace does',
  'demoSampleScopes.test.ts': 'what the sample workspace does',
  'demoSampleState.test.ts': 'what the sample workspace does',
  'fileNamesElsewhere.test.ts': 'computed, with a disk in memory',
  'gatewaySdkClient.test.ts': 'answers of the gateway to the SDK, over the HTTP that the others test',
  'heartbeat.test.ts': 'computed, with a fake clock',
  'hostileStates.test.ts': 'limits of states, in the store that the others test',
  'idle.test.ts': 'timers of the host, which are the same in both',
  'legacySseEverything.test.ts': 'a published server, over the HTTP that the others test',
  'mcpl/': 'rules of MCPL',
  'realServers.test.ts': 'published servers, over pipes that the others test',
  'scopesAnyArgument.test.ts': 'decisions on names that fileNames.test.ts reads',
  'scopesFilesystem.test.ts': 'decisions on names that fileNames.test.ts reads',
  'slowHttp.test.ts': 'timeouts, over the HTTP that the others test',
  'spawnTurns.test.ts': 'computed',
  'statelessServers.test.ts': 'published servers, over transports that the others test',
  'statesHeads.test.ts': 'rules of states, in the store that the others test',
  'statesMeanwhile.test.ts': 'rules of states, in the store that the others test',
  'statesModel.test.ts': 'rules of states, in the store that the others test',
  'statesRecord.test.ts': 'rules of states, in the store that the others test',
  'statesRetention.test.ts': 'rules of states, in the store that the others test',
  'statesWindow.test.ts': 'rules of states, in the store that the others test',
  'streamableHttpEverything.test.ts': 'a published server, over the HTTP that the others test',
  'streamableHttpSignIn.test.ts': 'when a sign-in starts, over the HTTP that the others test',
  'streamableHttpStateless.test.ts': 'rules of a revision, over the HTTP that the others test',
  'warmMemory.test.ts': 'computed, with a timer',
  'webPages.test.ts': 'texts of failures, over the HTTP that the others test',
};

/** Entries that match no test, and tests that do not have exactly one entry in these lists. */
export const wronglyListed = (
  tests: readonly string[],
  lists: readonly Readonly<Record<string, string>>[],
): readonly string[] => {
  const entries = lists.flatMap((list) => Object.keys(list));
  const matches = (entry: string, test: string): boolean =>
    entry.endsWith('/') ? test.startsWith(entry) : test === entry;
  return [
    ...entries
      .filter((entry) => !tests.some((test) => matches(entry, test)))
      .map((entry) => `${entry} matches no test`),
    ...tests.flatMap((test) => {
      const count = entries.filter((entry) => matches(entry, test)).length;
      return count === 1 ? [] : [`${test} is listed ${count} times`];
    }),
  ];
};

/** Run on both versions of Node by `npm test`. */
export const platformTests = Object.keys(platform).map((entry) =>
  entry.endsWith('/') ? `test/node/${entry}**/*.test.ts` : `test/node/${entry}`,
);
