/** Tests of test/node that also run on Node 22, by file or folder, with the feature they use. One file per feature is enough. */
export const platform: Readonly<Record<string, string>> = {
  'auth/realAuthorizationServer.test.ts': 'HTTP and Web Crypto, with a real authorization server',
  'auth/signIn.test.ts': 'sockets: the listener of the sign-in',
  'childEnvironment.test.ts': 'the environment of processes',
  'cli.test.ts': 'the program: terminal, signals, exit codes',
  'cliLibrary.test.ts': 'the library in another program, with files and HTTP',
  'connector.test.ts': 'every transport once',
  'demo.test.ts': 'the demo server, which users start on their own Node',
  'fileNames.test.ts': 'real paths of files and links',
  'gatewayServer.test.ts': 'HTTP: the gateway server',
  'gatewaySocket.test.ts': 'sockets: abandoned and reused ones',
  'httpRedirects.test.ts': 'HTTP: redirects',
  'nodePorts.test.ts': 'timers, random numbers and hashes',
  'processTree.test.ts': 'processes: lists and trees',
  'schemaChecker.test.ts': 'workers',
  'spawnRecords.test.ts': 'processes: leftovers of an earlier host',
  'statesDurability.test.ts': 'SQLite: a process that is killed while it writes',
  'statesFile.test.ts': 'SQLite: limits and damage of the file of states',
  'stdio.test.ts': 'pipes',
  'stdioShutdown.test.ts': 'processes: the steps of a shutdown',
  'store.test.ts': 'SQLite and workers: the whole store, with transactions',
  'storeFile.test.ts': 'SQLite: opening, locks and damage of the file',
  'storeSetAside.test.ts': 'files: renaming a damaged one',
  'streamableHttp.test.ts': 'HTTP: requests and streams of events',
  'streamableHttpNetwork.test.ts': 'HTTP: proxies, TLS and connections that break',
  'webSocket.test.ts': 'web sockets',
  'workspaceFiles.test.ts': 'files of a workspace',
};

/** Other tests of test/node, which only use the platform to run the host. */
export const hostOnly: Readonly<Record<string, string>> = {
  'auth/discovery.test.ts': 'redirects and bodies, over the HTTP that the others test',
  'auth/machine.test.ts': 'the client credentials grant, over the HTTP that the others test',
  'auth/renewal.test.ts': 'when tokens are renewed, over the HTTP that the others test',
  'auth/sharedWork.test.ts': 'computed',
  'benchClients.test.ts': 'clients of the benchmark, over pipes that the others test',
  'cases/cancelling.test.ts': 'rules of the protocol',
  'cases/dialect.test.ts': 'rules of the protocol',
  'cases/dialectHttp.test.ts': 'rules of the protocol',
  'cases/folders.test.ts': 'rules of the protocol',
  'cases/framing.test.ts': 'how messages are cut, over pipes that the others test',
  'cases/http.test.ts': 'streams that end early, over the HTTP that the others test',
  'cases/inputs.test.ts': 'rules of the protocol',
  'cases/lifecycle.test.ts': 'the handshake, with processes that the others test',
  'cases/listing.test.ts': 'rules of the protocol',
  'cases/offers.test.ts': 'rules of the protocol',
  'cases/openings.test.ts': 'rules of the protocol',
  'cases/stateless.test.ts': 'rules of the protocol',
  'cases/subscriptions.test.ts': 'rules of the protocol',
  'cases/tasks.test.ts': 'rules of the protocol',
  'chatHooks.test.ts': 'a script of the shell, and sockets that the others test',
  'cleanJson.test.ts': 'computed',
  'cliApprovals.test.ts': 'commands of the program that cli.test.ts starts',
  'cliDefinitions.test.ts': 'commands of the program that cli.test.ts starts',
  'cliLineage.test.ts': 'commands of the program that cli.test.ts starts',
  'cliMcpl.test.ts': 'commands of the program that cli.test.ts starts',
  'cliOffers.test.ts': 'commands of the program that cli.test.ts starts',
  'cliSignIn.test.ts': 'commands of the program that cli.test.ts starts',
  'demoFiles.test.ts': 'files that a server keeps, which fileNames.test.ts reads',
  'demoMcpl.test.ts': 'what the demo server says',
  'demoSample.test.ts': 'what the sample workspace does',
  'demoSampleScopes.test.ts': 'what the sample workspace does',
  'demoSampleState.test.ts': 'what the sample workspace does',
  'dialect.test.ts': 'rules of the protocol, over pipes that the others test',
  'fileNamesElsewhere.test.ts': 'computed, with a disk in memory',
  'gatewaySdkClient.test.ts': 'answers of the gateway to the SDK, over the HTTP that the others test',
  'heartbeat.test.ts': 'computed, with a fake clock',
  'hostileStates.test.ts': 'limits of states, in the store that the others test',
  'idle.test.ts': 'timers of the host, which are the same in both',
  'legacySse.test.ts': 'streams of events, over the HTTP that the others test',
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
  'statesNeverBlock.test.ts': 'how long a turn takes, beside a worker that the others test',
  'statesRecord.test.ts': 'rules of states, in the store that the others test',
  'statesRetention.test.ts': 'rules of states, in the store that the others test',
  'statesSalvage.test.ts': 'what is left of a damaged file, which storeFile.test.ts opens',
  'statesSteps.test.ts': 'steps of a large file, in the store that the others test',
  'statesStore.test.ts': 'rules of states, in the store that the others test',
  'statesWindow.test.ts': 'rules of states, in the store that the others test',
  'storeBatch.test.ts': 'what one transaction holds, in the store that the others test',
  'storeDurability.test.ts': 'as statesDurability.test.ts, which kills a process as well',
  'storeEvents.test.ts': 'the rows of events, in the store that the others test',
  'storeStates.test.ts': 'the rows of states, in the store that the others test',
  'streamableHttpEverything.test.ts': 'a published server, over the HTTP that the others test',
  'streamableHttpSession.test.ts': 'rules of sessions, over the HTTP that the others test',
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
