import {
  CancellationSource,
  type CancellationToken,
  NO_CANCELLATION,
  unlessCancelled,
  withEither,
} from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { DisposableStore } from '../base/disposable.ts';
import { cancelled, HostError, isHostError } from '../base/errors.ts';
import { waitFor } from '../base/patience.ts';
import type { UrlQuestion } from '../inputPorts.ts';
import type { UrlElicitation } from '../model/inputs.ts';
import { urlElicitationsOf } from '../wire/elicitation.ts';
import type { ElicitationFeature } from '../inputs/elicitationRequests.ts';
import type { CallContext, CallInterceptor } from './callSteps.ts';

interface RequiredPagesOptions {
  readonly clock: Clock;
  /** The elicitation feature of the call's server. */
  find(server: string): ElicitationFeature | undefined;
}

/** MCP 2025-11-25 "URL elicitation required". */
const URL_ELICITATION_REQUIRED = -32042;
/** More pages than a user would visit for one call. */
const MAX_PAGES = 5;
/** Time for the user to finish a page. */
const VISIT_MS = 1_800_000;

/** Repeats a call once if the server requires pages to be visited first. Asks the user about each page. */
export function requiredPages(options: RequiredPagesOptions): CallInterceptor {
  return {
    concerns: ({ codec }) => codec.traits.elicitationIds,
    intercept: (context, next) =>
      next(context).catch(async (error: unknown) => {
        const feature = options.find(context.server.id);
        const pages = requiredBy(error);
        if (feature === undefined || pages.length === 0 || pages.length > MAX_PAGES) throw error;
        await visitAll(pages, context, feature, options);
        return next(context);
      }),
  };
}

function requiredBy(error: unknown): readonly UrlElicitation[] {
  const isRequired = isHostError(error, 'REMOTE_ERROR') && error.rpcCode === URL_ELICITATION_REQUIRED;
  return isRequired ? urlElicitationsOf(error.data) : [];
}

async function visitAll(
  pages: readonly UrlElicitation[],
  context: CallContext,
  feature: ElicitationFeature,
  options: RequiredPagesOptions,
): Promise<void> {
  await withEither(context.token ?? NO_CANCELLATION, context.session.stopping, async (token) => {
    for (const page of pages) {
      context.report({ progress: 0, total: undefined, message: 'Waits for a page to be visited.' });
      await unlessCancelled(visit(page, context, feature, token, options), token, 'The call');
    }
  });
}

async function visit(
  page: UrlElicitation,
  context: CallContext,
  feature: ElicitationFeature,
  token: CancellationToken,
  options: RequiredPagesOptions,
): Promise<void> {
  const store = new DisposableStore();
  const done = store.add(new CancellationSource());
  try {
    store.add(token.onCancellationRequested(() => done.cancel()));
    // Listens before the page opens, because the server may finish before the user does.
    const { elicitationId } = page;
    if (elicitationId !== undefined) store.add(feature.pages.follow(elicitationId, () => done.cancel()));
    const visited = await feature.visit(page, token);
    if (visited.kind === 'refused') throw notVisited(context, `was to be opened, and ${visited.why}`);
    if (visited.kind !== 'accept') throw notVisited(context, 'was not opened');
    if (!done.isCancelled) await untilDone(visited.question, done, context, feature, options);
  } finally {
    store.dispose();
  }
  if (token.isCancellationRequested) throw cancelled('The call');
}

/** Resolves when the server or the user reports completion, or after a timeout. */
async function untilDone(
  question: UrlQuestion,
  done: CancellationSource,
  context: CallContext,
  feature: ElicitationFeature,
  { clock }: RequiredPagesOptions,
): Promise<void> {
  const { token } = done;
  const waited = await waitFor(feature.finish(question, token), { clock, ms: VISIT_MS, token });
  if (waited.kind === 'late') done.cancel();
  const isFinished = waited.kind === 'cancelled' || (waited.kind === 'done' && waited.value !== 'cancel');
  if (!isFinished) throw notVisited(context, 'was not finished');
}

function notVisited({ request }: CallContext, what: string): HostError {
  return new HostError('NOT_APPROVED', `The tool "${request.tool}" of "${request.server}" needs a page that ${what}.`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Call it again, and open the page when you are asked.',
  });
}
