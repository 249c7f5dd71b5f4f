import type {
  CancellationToken,
  Elicitor,
  FormAnswer,
  FormQuestion,
  JsonObject,
  Sampler,
  SamplingOutcome,
  SamplingQuestion,
  UrlAnswer,
  UrlQuestion,
} from '../../../src/core/index.ts';
import type { CaseLife } from './caseServer.ts';

type MaybeLater<T> = T | Promise<T>;

/** A simulated user: records the questions, and gives the answers of the test. Default: leaves everything open. */
export class CasePerson {
  readonly forms: FormQuestion[] = [];
  readonly pages: UrlQuestion[] = [];
  readonly prompts: SamplingQuestion[] = [];
  /** Pages that the server reported as finished. */
  readonly finished: UrlQuestion[] = [];
  /** One per question, in order. Cancelled when the question is withdrawn. */
  readonly tokens: CancellationToken[] = [];
  onForm: (question: FormQuestion) => MaybeLater<FormAnswer> = () => ({ kind: 'cancel' });
  onPage: (question: UrlQuestion) => MaybeLater<UrlAnswer> = () => 'cancel';
  /** The answer while the user is busy with a page. Default: never. */
  onBusy: () => MaybeLater<'continue' | 'cancel'> = () => new Promise(() => undefined);
  onPrompt: (question: SamplingQuestion) => MaybeLater<SamplingOutcome> = () => ({ kind: 'declined' });
  readonly elicitor: Elicitor;
  readonly sampler: Sampler;

  constructor({ canUseTools = false } = {}) {
    this.elicitor = {
      form: async (question, token) => {
        this.forms.push(question);
        this.tokens.push(token);
        return this.onForm(question);
      },
      url: async (question, token) => {
        this.pages.push(question);
        this.tokens.push(token);
        return this.onPage(question);
      },
      finish: async () => this.onBusy(),
      finished: (question) => this.finished.push(question),
    };
    this.sampler = {
      canUseTools,
      sample: async (question, token) => {
        this.prompts.push(question);
        this.tokens.push(token);
        return this.onPrompt(question);
      },
    };
  }

  /** For `createNodeHost`. */
  get ports(): { readonly elicitor: Elicitor; readonly sampler: Sampler } {
    return { elicitor: this.elicitor, sampler: this.sampler };
  }
}

/** Accepts the initial values of the form, with other values for some fields by name. */
export const accept =
  (entered: Readonly<Record<string, string | boolean | readonly string[]>> = {}) =>
  ({ form, values }: FormQuestion): FormAnswer => ({
    kind: 'accept',
    values: {
      ...values,
      ...Object.fromEntries(
        form.fields.flatMap(({ id, name }) => (entered[name] === undefined ? [] : [[id, entered[name]]])),
      ),
    },
  });

let asked = 0;

/** The host's answer to a request of the server: `{result}` or `{error}`. */
export async function ask(life: CaseLife, method: string, params: JsonObject = {}): Promise<JsonObject> {
  const id = `ask ${++asked}`;
  await life.request(id, method, params);
  const { jsonrpc: _, id: _id, ...answer } = await life.answer(id);
  return answer;
}
