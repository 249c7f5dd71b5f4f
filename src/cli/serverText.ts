import {
  cleanLine,
  cleanText,
  isRunning,
  type Listing,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type ServerSnapshot,
  type ServerState,
  type Tool,
} from '../core/index.ts';
import { dialectText, featureSetTexts } from './mcplText.ts';
import { schemaText } from './schemaText.ts';

/** A running server and what it offers, for a person to read. */
export function serverText(server: ServerSnapshot): string {
  const { state, tools, resources, templates, prompts, listing, listings, mcpl } = server;
  const lines = isRunning(state) ? [...introduction(state, server)] : [];
  lines.push(...section('Feature sets', mcpl === undefined ? [] : featureSetTexts(mcpl), { kind: 'read' }));
  const ofTools = tools.map(({ tool }) => toolText(tool));
  lines.push(...(tools.length === 0 && listing.kind !== 'failed' ? ['', 'No tools.'] : []));
  lines.push(...section('Tools', ofTools, listing));
  lines.push(...section('Resources', resources.map(resourceText), listings.resources));
  // One and the same failure need not be told twice.
  lines.push(...section('Resource templates', templates.map(templateText), { kind: 'read' }));
  lines.push(...section('Prompts', prompts.map(promptText), listings.prompts));
  return `${lines.join('\n')}\n`;
}

function introduction(
  state: Extract<ServerState, { kind: 'running' }>,
  { capabilities, mcpl }: ServerSnapshot,
): readonly string[] {
  const { name, title, version, description, instructions } = state.info;
  const id = cleanLine(`${name} ${version}`, 200).trim();
  const names = Object.keys(capabilities)
    .map((each) => cleanLine(each, 100))
    .join(', ');
  return [
    title === undefined ? id || '(a server without a name)' : `${cleanLine(title, 200)} (${id})`,
    ...(description === undefined ? [] : indented(cleanText(description), '  ')),
    `MCP ${cleanLine(state.protocolVersion, 50)}`,
    ...(mcpl === undefined ? [] : dialectText(mcpl.dialect)),
    `Connection: ${connectionText(state.connection)}`,
    `Capabilities: ${names || 'none'}`,
    ...(instructions === undefined ? [] : ['Instructions:', ...indented(cleanText(instructions), '  ')]),
  ];
}

function connectionText(connection: Extract<ServerState, { kind: 'running' }>['connection']): string {
  const { era, isDialect, roundTripMs, transport, session } = connection;
  return [
    transport,
    `${era} era`,
    ...(isDialect ? ['short dialect'] : []),
    `first answer after ${Math.round(roundTripMs)} ms`,
    ...(session === undefined ? [] : [`session ${cleanLine(session, 100)}`]),
  ].join(', ');
}

function section(title: string, items: readonly (readonly string[])[], listing: Listing): readonly string[] {
  const failure = listing.kind === 'failed' ? ['', `${title}: not read. ${cleanLine(listing.error.message)}`] : [];
  if (items.length === 0) return failure;
  return [...failure, '', `${title} (${items.length}):`, ...items.flatMap((lines) => ['', ...lines])];
}

function toolText(tool: Tool): readonly string[] {
  const lines = [...heading(tool.name, tool), `    Hints: ${hintText(tool)}`];
  const members = schemaText(tool.inputSchema, '      ');
  lines.push(...(members.length === 0 ? ['    No arguments.'] : ['    Arguments:', ...members]));
  return lines;
}

interface Described {
  readonly title: string | undefined;
  readonly description: string | undefined;
}

function heading(id: string, { title, description }: Described): readonly string[] {
  const name = cleanLine(id, 1_000);
  return [
    title === undefined ? `  ${name}` : `  ${name} - ${cleanLine(title, 200)}`,
    ...(description === undefined ? [] : indented(cleanText(description), '    ')),
  ];
}

function hintText({ hints }: Tool): string {
  const world = hints.openWorld ? 'reaches beyond this machine' : 'stays local';
  if (hints.readOnly) return `only reads, ${world}`;
  const effect = hints.destructive ? 'may destroy' : 'only adds';
  return `${effect}, ${hints.idempotent ? 'repeating changes nothing more, ' : ''}${world}`;
}

function resourceText(resource: Resource): readonly string[] {
  const { uri, title, name, description, mimeType, size } = resource;
  const facts = [
    ...(mimeType === undefined ? [] : [cleanLine(mimeType, 100)]),
    ...(size === undefined ? [] : [`${size} bytes`]),
  ];
  return [
    ...heading(uri, { title: title ?? name, description }),
    ...(facts.length === 0 ? [] : [`    ${facts.join(', ')}`]),
  ];
}

function templateText({ uriTemplate, title, name, description, mimeType }: ResourceTemplate): readonly string[] {
  return [
    ...heading(uriTemplate, { title: title ?? name, description }),
    ...(mimeType === undefined ? [] : [`    ${cleanLine(mimeType, 100)}`]),
  ];
}

function promptText(prompt: Prompt): readonly string[] {
  const args = prompt.arguments.map(argumentText);
  return [...heading(prompt.name, prompt), ...(args.length === 0 ? [] : ['    Arguments:', ...args])];
}

function argumentText({ name, title, description, required }: Prompt['arguments'][number]): string {
  const words = [title, description].filter((text) => text !== undefined && text !== '').join(': ');
  return `      ${cleanLine(`${name}${required ? ' (required)' : ''} ${words}`.trim(), 300)}`;
}

function indented(text: string, indent: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => indent + line);
}
