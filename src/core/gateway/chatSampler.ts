import type { CancellationToken } from '../base/cancellation.ts';
import { WireError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Sampler, SamplingOutcome, SamplingQuestion } from '../inputPorts.ts';
import { blocksOf } from '../model/content.ts';
import type { ModelPreferences, SamplingMessage, SamplingRequest } from '../model/inputs.ts';
import type { ClientLocation } from './clientRequests.ts';
import type { GatewayClients } from './gatewayClients.ts';

interface ChatSamplerOptions {
  readonly own: Pick<Sampler, 'sample'>;
  readonly clients: Pick<GatewayClients, 'modelsOf'>;
  /** Whether a model is available for the host's own requests. */
  hasModel(): Promise<boolean>;
}

/** MCP "Sampling": error code for a rejection by the user. */
const REJECTED = -1;

/**
 * Uses a gateway client's models if the host has none: an editor may offer its models to its own MCP client even if
 * extensions see none. The client asks the user itself. Only text is supported.
 */
export class ChatSampler implements Pick<Sampler, 'sample'> {
  readonly #options: ChatSamplerOptions;

  constructor(options: ChatSamplerOptions) {
    this.#options = options;
  }

  async sample(question: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome> {
    const { own, clients } = this.#options;
    const { server, request } = question;
    const params = textParams(request);
    const client = params === undefined ? undefined : clients.modelsOf(server);
    if (params === undefined || client === undefined || (await this.#options.hasModel()))
      return own.sample(question, token);
    return ask(client, params, token);
  }
}

async function ask(client: ClientLocation, params: JsonObject, token: CancellationToken): Promise<SamplingOutcome> {
  try {
    return outcomeOf(await client.ask('sampling/createMessage', params, token));
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return error.code === REJECTED ? { kind: 'declined' } : { kind: 'unavailable', reason: error.message };
  }
}

/** Returns `undefined` if the request contains more than text. */
function textParams(request: SamplingRequest): JsonObject | undefined {
  const messages = request.messages.map(textMessage);
  if (request.tools.length > 0 || !messages.every((message) => message !== undefined)) return undefined;
  const { systemPrompt, maxTokens, temperature, stopSequences, preferences } = request;
  return {
    messages,
    maxTokens,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences.length === 0 ? {} : { stopSequences }),
    modelPreferences: preferencesJson(preferences),
  };
}

function textMessage({ role, content }: SamplingMessage): JsonObject | undefined {
  const texts = content.map((piece) => (piece.type === 'text' ? piece.text : undefined));
  if (!texts.every((text) => text !== undefined)) return undefined;
  return { role, content: { type: 'text', text: texts.join('\n') } };
}

function preferencesJson({ hints, cost, speed, intelligence }: ModelPreferences): JsonObject {
  return {
    ...(hints.length === 0 ? {} : { hints: hints.map((name) => ({ name })) }),
    ...(cost === undefined ? {} : { costPriority: cost }),
    ...(speed === undefined ? {} : { speedPriority: speed }),
    ...(intelligence === undefined ? {} : { intelligencePriority: intelligence }),
  };
}

function outcomeOf(result: JsonObject | undefined): SamplingOutcome {
  if (result === undefined) return { kind: 'unavailable', reason: 'The editor gave no answer.' };
  const content = blocksOf(result['content']).filter(({ type }) => type === 'text');
  if (content.length === 0) return { kind: 'unavailable', reason: 'The editor’s model answered without text.' };
  const { model, stopReason } = result;
  return {
    kind: 'answered',
    result: {
      content,
      model: typeof model === 'string' ? model : '',
      stopReason: typeof stopReason === 'string' ? stopReason : undefined,
    },
  };
}
